// Builds dist/index.html, one file that makes no requests: it has the scripts, styles, the worker and the WebAssembly modules. The modules
// come from crates/wasm/scripts/build.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";
import { pack, unpack } from "./src/predict.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const at = (path) => here + path;

/**
 * Makes the editor lay out less text. The editor has no settings for this, so we replace parts of its code:
 * - The editor renders 10,000 characters of a long line before and after the visible ones, and the browser takes too long for so many.
 * - A hidden editor renders all lines of a new text. It should render only the first ones. The editor of the answer is hidden until there is
 *   an answer.
 * - The editor's styles include those of line numbers, the active line, panels, dialogs, arrows, visible spaces and buttons, which the page doesn't have.
 *
 * The editor also has code for Internet Explorer, which can't run the page. `renderLess` removes this code.
 */
const LESS = [
  [/"\.cm-gutters": \{[^]*?(?="\.cm-tab": \{)/, ""],
  [/"\.cm-tooltip-arrow": \{[^]*?(?=\n\}\);)/, ""],
  [/"&light \.cm-activeLine"[^]*?(?="&light \.cm-specialChar")/, ""],
  [/"\.cm-highlightSpace": \{[^]*?(?=\n\}, lightDarkIDs\);)/, ""],
  ["10000 /* LG.MarginWrap */", "1500"],
  ["if (!this.inView)\n            return true;", "if (!this.inView && to - from < 3000) return true;"],
];
const renderLess = {
  name: "render-less",
  setup({ onLoad }) {
    onLoad({ filter: /@codemirror\/view\/dist\/index\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, "utf8");
      for (const [theirs, ours] of LESS) {
        if (contents.split(theirs).length !== 2) throw new Error(`${path}: ${theirs} must be there once`);
        contents = contents.replace(theirs, () => ours);
      }
      contents = contents.replace(/\bbrowser\.ie(?:_version)?\b/g, "0");
      return { contents };
    });
  },
};

const bundle = async (entry, loader = {}) => {
  const result = await build({
    entryPoints: [at(entry)],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    alias: { "@codemirror/language": at("src/language.js"), "@lezer/common": at("src/language.js") },
    loader,
    plugins: [renderLess],
  });
  const text = result.outputFiles[0].text.trim();
  if (!entry.endsWith(".js")) return text;
  // terser makes the page 1 % smaller than esbuild alone.
  const { code } = await minify(text, { ecma: 2020, compress: { passes: 4, unsafe_arrows: true } });
  // The text `</script` would end the script element.
  return code.replaceAll("</script", "<\\/script");
};

const moduleOf = (name) => readFile(at(`../target/wasm/${name}.wasm`));
/** The modules that every visit unpacks. */
const modules = await Promise.all(["page", "codec-simd"].map(moduleOf));
const packed = execFileSync("xz", ["--format=lzma", "--lzma1=preset=9e,mf=bt4,nice=80,lc=3,lp=0,pb=0", "--stdout"], { input: Buffer.concat(modules), maxBuffer: 1 << 24 });
/** The module for files with fields. See src/predict.js. */
const records = await moduleOf("records");
const packedRecords = pack(records, modules[0]);
if (!records.equals(unpack(packedRecords, records.length, modules[0]))) throw new Error("the packed module differs from the module");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const style = await bundle("src/style.css", { ".css": "css" });
const script = await bundle("src/index.js");
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  // The editor sets sizes by style attributes, so inline styles must be allowed.
  "style-src 'unsafe-inline'",
  "img-src data:",
  "worker-src blob:",
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join("; ");

const page = (await readFile(at("src/index.html"), "utf8"))
  .replace(/\n\s+/g, "\n")
  .replace("{{policy}}", () => policy)
  .replace("{{style}}", () => style)
  .replace("{{sizes}}", modules.map(({ length }) => length).join(" "))
  .replace("{{modules}}", packed.toString("base64"))
  .replace("{{recordsSize}}", records.length)
  .replace("{{records}}", Buffer.from(packedRecords).toString("base64"))
  .replace("{{script}}", () => script);
await mkdir(at("dist"), { recursive: true });
await writeFile(at("dist/index.html"), page);

// For a host with https, also make the page an app to install: with a manifest, and a worker that caches the page.
const version = createHash("sha256").update(page).digest("hex").slice(0, 12);
const manifest = {
  name: "percent", short_name: "percent", start_url: "./", display: "standalone", background_color: "#f6f5f1", theme_color: "#175e54",
  icons: [{ src: "icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" }],
};
const register = 'navigator.serviceWorker?.register("worker.js")';
const installable = page
  .replace("worker-src blob:", `worker-src blob: 'self'; manifest-src 'self'`)
  .replace("script-src ", () => `script-src ${hash(register)} `)
  .replace('<link rel="icon"', '<link rel="manifest" href="manifest.webmanifest"><link rel="icon"')
  .replace("</body>", () => `<script>${register}</script>\n</body>`);
const keeper = `// Caches the page for use without a network.
const CACHE = "percent-${version}";
addEventListener("install", (event) => event.waitUntil(caches.open(CACHE).then((cache) => cache.add("./")).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(caches.keys().then((keys) => Promise.all(keys.filter((key) => key !== CACHE).map((key) => caches.delete(key))))));
addEventListener("fetch", (event) => event.respondWith(caches.match(event.request, { ignoreSearch: true }).then((found) => found ?? fetch(event.request))));
`;
const icon = decodeURIComponent(page.match(/href="data:image\/svg\+xml,([^"]*)"/)[1]);
await mkdir(at("dist/installable"), { recursive: true });
for (const [name, text] of [["index.html", installable], ["manifest.webmanifest", JSON.stringify(manifest)], ["worker.js", keeper], ["icon.svg", icon]]) {
  await writeFile(at(`dist/installable/${name}`), text);
}

const size = gzipSync(page, { level: 9 }).length;
console.log(`== web/dist/index.html: ${page.length} characters, ${size} bytes gzipped`);
const MOST = 366_000;
if (size > MOST) throw new Error(`the page is above ${MOST} bytes gzipped`);

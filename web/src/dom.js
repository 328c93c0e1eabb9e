// Creates elements, remembers choices, and saves files.

export const $ = (id) => document.getElementById(id);

/** Creates an element: `h("p", { class: "note" }, "text", child)`. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Remembers a choice for the next visit, if the browser lets a page from a file do so. */
export const memory = {
  get(key) {
    try {
      return localStorage.getItem(`percent.${key}`) ?? undefined;
    } catch {
      return undefined;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(`percent.${key}`, value);
    } catch {
      // The browser can't store the choice, so the choice lasts only until the page is closed.
    }
  },
};

/** Saves data as a file. */
export function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

import { startPage } from "./main.js";
import { startWorker } from "./worker.js";

// The page and its worker are one script, because they share most of their code. Only the page has a document.
if (globalThis.document) startPage();
else startWorker();

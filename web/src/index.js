// The page and its worker are one script, because they share most of their code. Only the page has a document.
if (globalThis.document) import("./main.js");
else import("./worker.js");

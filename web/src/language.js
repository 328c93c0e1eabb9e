// Takes the place of @codemirror/language and @lezer/common in the page: build.mjs says so. Commands of the editor import them for programming
// languages, and they take a tenth of the scripts. The page's texts have no syntax, and no key of the page runs one of these commands.
const none = () => undefined;

export { none as IndentContext, none as getIndentUnit, none as getIndentation, none as indentString, none as indentUnit, none as matchBrackets, none as syntaxTree };
export const NodeProp = {};

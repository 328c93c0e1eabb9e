// Replaces @codemirror/language and @lezer/common: see `alias` in build.mjs. Commands of the editor import these packages for programming
// languages. The packages would be a tenth of the scripts. The page's texts have no syntax, and no key of the page runs these commands.
const none = () => undefined;

export { none as IndentContext, none as getIndentUnit, none as getIndentation, none as indentString, none as indentUnit, none as matchBrackets, none as syntaxTree };
export const NodeProp = {};

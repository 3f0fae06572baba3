// Renders Markdown with markdown-it and everything that it has: HTML, links without
// markup, and typographic signs.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.env.NODE_PATH + "/");
const MarkdownIt = require("markdown-it");
process.stdout.write(new MarkdownIt({ html: true, linkify: true }).render(readFileSync(process.argv[2], "utf8")));

// Package chromium drives the console in a real browser: what the page says of
// true and of altered audit events, what it exports, and how it looks at
// different widths. It looks at the reports of a case too, on screens and on
// paper. It has tests only.
package chromium

// Package chromium tests the console in a real browser: how the page describes true and
// altered audit events, how it exports, and how it looks at different widths. It looks at the
// reports of a case too, on screens and on paper. It has tests only.
package chromium

package main

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/explain"
)

// codesDocument returns docs/codes.md: every code that the program prints.
func codesDocument() string {
	var b strings.Builder
	b.WriteString("# Codes\n\n" +
		"This page is generated: `make docs`.\n\n" +
		"Every code, as `svc-verify explain CODE` explains it. Until the first signed release, codes that\n" +
		"mean the same may become one; the table at the end names the older ones, and `explain` knows them.\n" +
		"No code is given another meaning. In a sentence, {path} is a JSON pointer, and {expected} and\n" +
		"{found} are what was expected and found there. Rules are sections of [spec.md](spec.md).\n")
	group := ""
	for _, t := range explain.Topics() {
		if t.Group != group {
			fmt.Fprintf(&b, "\n## %s\n", t.Group)
			group = t.Group
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n", t.Code)
		for _, p := range t.Pairs() {
			fmt.Fprintf(&b, "- %s%s: %s\n", strings.ToUpper(p[0][:1]), p[0][1:],
				strings.TrimSuffix(strings.TrimPrefix(p[1], "section "), " of the specification"))
		}
	}
	b.WriteString("\n## Older codes\n\n| older code | is now |\n|---|---|\n")
	for _, e := range finding.Codes("") {
		for _, old := range e.Was {
			fmt.Fprintf(&b, "| `%s` | `%s` |\n", old, e.Code)
		}
	}
	return b.String()
}

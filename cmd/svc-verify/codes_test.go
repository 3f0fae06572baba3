package main

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/explain"
)

// codesDocument returns docs/codes.md: every code that the program prints.
func codesDocument() string {
	var b strings.Builder
	b.WriteString("# Codes\n\n" +
		"This page is generated: `make docs`.\n\n" +
		"Every code, as `svc-verify explain CODE` explains it. Codes are only ever added: a published code is\n" +
		"never renamed, removed or given another meaning. In a sentence, {path} is a JSON pointer, and\n" +
		"{expected} and {found} are what was expected and found there. Rules are sections of\n" +
		"[spec.md](spec.md).\n")
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
	return b.String()
}

package main

import (
	"fmt"
	"strings"
)

// codesDocument returns docs/codes.md: every code that the program prints.
func codesDocument() string {
	var b strings.Builder
	b.WriteString("# Codes\n\n" +
		"What `svc-verify explain CODE` says of every code. A code is only ever added: one that was published is never renamed, " +
		"removed or given another meaning. In a sentence, {path} stands for the JSON pointer, {expected} and {found} for what was expected and found there. " +
		"Rules are sections of [spec.md](spec.md).\n\n" +
		"This page is generated: `go test ./cmd/svc-verify -update`.\n")
	group := ""
	for _, t := range topics() {
		if t.group != group {
			fmt.Fprintf(&b, "\n## %s\n", t.group)
			group = t.group
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n", t.code)
		for _, p := range t.pairs() {
			fmt.Fprintf(&b, "- %s%s: %s\n", strings.ToUpper(p[0][:1]), p[0][1:], strings.TrimSuffix(strings.TrimPrefix(p[1], "section "), " of the specification"))
		}
	}
	return b.String()
}

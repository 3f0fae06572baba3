package main

import (
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestEveryCodeIsExplained: explain knows every code that the program can print, and the codes
// of a group are together.
func TestEveryCodeIsExplained(t *testing.T) {
	seen, groups, last := map[finding.Code]bool{}, map[string]bool{}, ""
	for _, top := range allTopics() {
		ofLogs := top.weight != "" && top.says != ""
		if seen[top.Code] || top.Group == "" || top.Next == "" || !ofLogs && (top.Spec == "" || top.Arises == "") {
			t.Errorf("%s is explained twice or in part: %+v", top.Code, top)
		}
		check.That(t, top.Group == last || !groups[top.Group], "the group %q stands twice", top.Group)
		last, groups[top.Group], seen[top.Code] = top.Group, true, true
	}
	for _, e := range finding.Codes("") {
		for _, old := range e.Was {
			if top, ok := findTopic(string(old)); !ok || top.Code != e.Code || seen[old] {
				t.Errorf("%s, which became %s, is explained as %s", old, e.Code, top.Code)
			}
		}
	}
	for _, e := range finding.Codes("logs") {
		check.That(t, seen[e.Code], "%s is not explained", e.Code)
	}
}

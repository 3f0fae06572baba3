package event

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestTypesAreThoseOfTheSpecification: the two lists are the types that section
// 4.4 names for each kind of log, and every type with closed data is in one.
func TestTypesAreThoseOfTheSpecification(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "spec.md")))(t)
	_, section, _ := strings.Cut(string(page), "### 4.4 ")
	section, _, _ = strings.Cut(section, "\n### ")
	ofTenant, ofNode := []string{}, []string{}
	row := regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| (tenant|node) \\|")
	for _, m := range row.FindAllStringSubmatch(section, -1) {
		if m[2] == "tenant" {
			ofTenant = append(ofTenant, m[1])
		} else {
			ofNode = append(ofNode, m[1])
		}
	}
	quoted := regexp.MustCompile("`([a-z_]+\\.[a-z_]+)`")
	_, further, _ := strings.Cut(section, "in the tenant log `")
	inTenant, rest, _ := strings.Cut("`"+further, "in a node's journal ")
	inNode, _, _ := strings.Cut(rest, "; in both")
	for _, m := range quoted.FindAllStringSubmatch(inTenant, -1) {
		ofTenant = append(ofTenant, m[1])
	}
	for _, m := range quoted.FindAllStringSubmatch(inNode, -1) {
		ofNode = append(ofNode, m[1])
	}
	for _, both := range [][2][]string{{ofTenant, TenantTypes}, {ofNode, NodeTypes}} {
		got, want := slices.Sorted(slices.Values(both[1])), slices.Sorted(slices.Values(both[0]))
		check.That(t, slices.Equal(got, want), "%v, and the specification has %v", got, want)
	}
	for name := range closed {
		check.That(t, slices.Contains(TenantTypes, name) != slices.Contains(NodeTypes, name),
			"%s belongs to one kind of log", name)
	}
}

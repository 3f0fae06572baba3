package nodeconfig

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestCovers(t *testing.T) {
	tests := []struct {
		prefix SPIFFEPrefix
		id     string
		want   bool
	}{
		{"spiffe://a/b", "spiffe://a/b", true},
		{"spiffe://a/b", "spiffe://a/b/c", true},
		{"spiffe://a/b", "spiffe://a/bc", false},
		{"spiffe://a/b", "spiffe://a/b-c", false},
		{"spiffe://a/b", "spiffe://a/B", false},
		{"spiffe://a/b", "spiffe://a", false},
		{"spiffe://a/b/c", "spiffe://a/b", false},
		{"spiffe://a/b", "spiffe://a.x/b", false},
		{"spiffe://a/b", "spiffe://a/b/", false},
		{"spiffe://a/b", "spiffe://a/b/../c", false},
		{"spiffe://a/b", "spiffe://a/b/./c", false},
		{"spiffe://a/b", "spiffe://a/b//c", false},
		{"spiffe://a/b", "spiffe://a/b?c", false},
		{"spiffe://a/b", "spiffe://a/b/" + strings.Repeat("c", maxSPIFFE), false},
		{"spiffe://a/b", "", false},
		{"", "", false},
		{"", "/spiffe://a/b", false},
	}
	for _, tt := range tests {
		check.Equal(t, tt.prefix.Covers(tt.id), tt.want, "%q covers %.40q", tt.prefix, tt.id)
	}
}

// TestCoversBySegments: a prefix covers an id if and only if its segments are
// the first of the id's.
func TestCoversBySegments(t *testing.T) {
	segments := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "a.b", "..a"}), 1, 4)
	rapid.Check(t, func(t *rapid.T) {
		prefix, id := segments.Draw(t, "prefix"), segments.Draw(t, "id")
		join := func(s []string) string { return "spiffe://x/" + strings.Join(s, "/") }
		want := len(prefix) <= len(id) && slices.Equal(prefix, id[:min(len(prefix), len(id))])
		must.Equal(t, SPIFFEPrefix(join(prefix)).Covers(join(id)), want, "%v covers %v", prefix, id)
	})
}

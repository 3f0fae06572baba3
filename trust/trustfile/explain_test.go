package trustfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// fleet is a trust file of n nodes with a minimum of q witnesses.
func fleet(t must.T, n, q int) *trust.Root {
	var nodes []string
	for i := range n {
		nodes = append(nodes, fmt.Sprintf("%q: %q", fmt.Sprint("node-", i), public(byte(100+i))))
	}
	return parse(t, map[string]string{
		"audit_keys":              fmt.Sprintf(`{"a": %q, "b": %q}`, public(90), public(91)),
		"nodes":                   "{" + strings.Join(nodes, ",") + "}",
		"minimum_audit_witnesses": fmt.Sprint(q),
	})
}

func TestExplain(t *testing.T) {
	tests := []struct {
		n, q, approvals int
		want            map[string]string // threat → nodes and combinations
	}{
		{3, 2, 1, map[string]string{ThroughTheLog: "1 6", SplitView: "1 6", InSecret: "2 6"}},
		{3, 2, 2, map[string]string{ThroughTheLog: "2 6", SplitView: "2 6", InSecret: "2 6"}},
		{5, 4, 1, map[string]string{ThroughTheLog: "1 10", SplitView: "3 20", InSecret: "4 10"}},
		{4, 2, 0, map[string]string{ThroughTheLog: "1 8", SplitView: "1 8", InSecret: "2 12"}},
		{3, 0, 1, map[string]string{ThroughTheLog: "1 6", InSecret: "1 6"}},
		{2, 3, 1, map[string]string{ThroughTheLog: "-1 0", SplitView: "-1 0", InSecret: "-1 0"}},
		{2, 1, 3, map[string]string{ThroughTheLog: "-1 0", SplitView: "-1 0", InSecret: "-1 0"}},
	}
	for _, tt := range tests {
		got := map[string]string{}
		for _, threat := range Explain(fleet(t, tt.n, tt.q), tt.approvals).Threats {
			got[threat.Name] = fmt.Sprint(threat.Nodes, " ", threat.Combinations)
		}
		check.That(t, maps.Equal(got, tt.want), "%d nodes, %d witnesses, %d approvals: %v, want %v", tt.n, tt.q,
			tt.approvals, got, tt.want)
	}
}

// TestExplainCountsNodes: several keys of a node are one holder.
func TestExplainCountsNodes(t *testing.T) {
	root := parse(t, nil)
	e := Explain(root, 1)
	check.That(t, len(e.Nodes) == 2 && slices.Equal(e.Nodes[1].Keys, []string{"node-b", "node-b/2"}), "nodes %+v",
		e.Nodes)
	check.That(t, e.MinimumApprovals == 1 && Explain(root, -4).MinimumApprovals == 1, "approvals %d", e.MinimumApprovals)
}

// TestSplitViewIsTheLeast tries every way to show nodes two histories, and
// compares the least number of nodes that witness both with the formula.
func TestSplitViewIsTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "nodes")
		q := rapid.IntRange(1, n).Draw(t, "quorum")
		least := n
		for both := range n + 1 {
			for first := range n - both + 1 {
				if both+first >= q && both+(n-both-first) >= q {
					least = min(least, both)
				}
			}
		}
		for _, threat := range Explain(fleet(t, n, q), 1).Threats {
			if threat.Name == SplitView && threat.Nodes != max(1, least) {
				t.Fatalf("%d of %d: %d nodes, want %d", q, n, threat.Nodes, max(1, least))
			}
		}
	})
}

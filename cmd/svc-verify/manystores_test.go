package main

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/messy"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestManyStores: however many stores there are, the verdict is that of what they hold,
// and the one that lacks an event is named.
func TestManyStores(t *testing.T) {
	e, _ := messySource(t)
	content := func(name string) []byte {
		b := must.Get(e.Content(name))(t)
		return b
	}
	dump := content("stores/loki/query.jsonl")
	const stores = 70
	files := map[string][]byte{}
	for i := range stores {
		files[fmt.Sprintf("replica-%d/query.jsonl", i)] = append(bytes.Clone(dump), fmt.Sprintf(`{"n":%d}`+"\n", i)...)
	}
	clean := checkMessy(t, &messy.Collection{Files: files, Trust: content(fleet.TrustFile)})
	if clean.has(finding.LimitReached) || len(clean.decisive()) > 0 || len(clean.Stores) != stores {
		t.Errorf("exit %d, %d stores, %q", clean.code, len(clean.Stores), clean.codes())
	}
	const last = "replica-69"
	lines := bytes.SplitAfter(files[last+"/query.jsonl"], []byte("\n"))
	files[last+"/query.jsonl"] = bytes.Join(slices.Delete(lines, 40, 50), nil)
	lacking := checkMessy(t, &messy.Collection{Files: files, Trust: content(fleet.TrustFile)})
	named := slices.ContainsFunc(lacking.Findings, func(f finding.Finding) bool {
		return f.Code == finding.SourceDisagrees && f.Store == last
	})
	if lacking.code != 1 || !named {
		t.Errorf("exit %d, %q", lacking.code, lacking.decisive())
	}
}

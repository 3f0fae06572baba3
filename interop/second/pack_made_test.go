package second_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/pack"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// TestMadePacksAreJudgedAlike: a pack of any choice out of a case verifies by both verifiers, and shows
// the same, even if a log was forked or has a false skip link.
func TestMadePacksAreJudgedAlike(t *testing.T) {
	trustFile := must.Get(cases.Evidence(t, fleet.Scene).Content(fleet.TrustFile))(t)
	stream := chance.New(23).Stream("choices")
	folder := t.TempDir()
	var made []fixtures.Pack
	for _, script := range []string{"", "fork", "restart", "broken-skip"} {
		e := &fleet.Edited{Evidence: cases.Evidence(t, fleet.Scene).Clone()}
		given := e.Names()
		if s, ok := tamper.Lookup(script); ok {
			after, damage := must.Two(s.Apply(e.Evidence))(t)
			e, given = &fleet.Edited{Evidence: after}, tamper.Given(e.Evidence, after, damage)
		} else {
			must.That(t, script == "", "no script is called %s", script)
		}
		path, root := cases.IngestEdited(t, e, given)
		result := must.Get(examine.Examined(t.Context(), path, root, examine.Options{}))(t)
		in := must.Get(store.OpenCase(path))(t)
		t.Cleanup(func() { in.Close() })
		logs := must.Get(in.Logs(t.Context()))(t)
		for range 25 {
			var choice pack.Choice
			for range 1 + stream.Below(3) {
				first := uint64(1 + stream.Below(40))
				choice.Filters = append(choice.Filters, store.Filter{LogID: logs[stream.Below(len(logs))].LogID, First: first,
					Last: first + uint64(stream.Below(30))})
			}
			if n := stream.Below(4); n > 0 {
				choice.Redact = must.Get(query.ParseWhere(fmt.Sprintf("sequence %% %d == 0", n)))(t)
			}
			doc, _ := must.Two(pack.Make(t.Context(), in, root, result, choice))(t)
			if len(doc) == 0 {
				continue
			}
			c := fixtures.Pack{Name: fmt.Sprintf("%03d", len(made)),
				Files: map[string][]byte{"pack.jsonl": doc, "trust.json": trustFile}}
			made = append(made, c)
			must.Do(t, os.Mkdir(filepath.Join(folder, c.Name), 0o700))
			for name, doc := range must.Get(c.All())(t) {
				must.Do(t, os.WriteFile(filepath.Join(folder, c.Name, name), doc, 0o600))
			}
		}
	}
	contradictions := 0
	for i, their := range theirPackAnswers(t, folder, len(made)) {
		our := ourPackAnswer(t, made[i])
		check.Equal(t, our.Verdict, string(verify.Verified), "pack %d: %s", i, our.Finding)
		check.Equal(t, packDiff(our, their), "", "pack %d: - the first, + the second verifier", i)
		contradictions += len(our.Contradictions)
	}
	check.That(t, len(made) > 50 && contradictions > 0, "%d packs, %d contradictions", len(made), contradictions)
}

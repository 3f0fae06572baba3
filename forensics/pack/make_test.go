package pack_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/pack"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

const (
	tenantLog     = "tenant/" + harness.Tenant
	berlin        = "node/mesh-berlin-1"
	transactionID = "tx-2026-0001"
)

// examined is a case with its examination.
type examined struct {
	*store.Case
	root   *trust.Root
	result *verdict.Result
}

// fleetCase is the case of a fleet, whole or after a script of package tamper.
func fleetCase(t testing.TB, script string) examined {
	t.Helper()
	e := &fleet.Edited{Evidence: cases.Evidence(t, fleet.Scene).Clone()}
	given := e.Names()
	if script != "" {
		s, _ := tamper.Lookup(script)
		after, damage := must.Two(s.Apply(e.Evidence))(t)
		e, given = &fleet.Edited{Evidence: after}, tamper.Given(e.Evidence, after, damage)
	}
	path, root := cases.IngestEdited(t, e, given, cases.As(1))
	result := must.Get(examine.Examined(t.Context(), path, root, examine.Options{Case: []store.Option{cases.As(1)}}))(t)
	c := must.Get(store.OpenCase(path, cases.As(1)))(t)
	t.Cleanup(func() { c.Close() })
	return examined{c, root, result}
}

// packOf makes a pack by filters and a condition for redaction, and verifies it.
func (c examined) packOf(t testing.TB, redact string, filters ...store.Filter) ([]byte, *pack.Result, pack.LeftOut) {
	t.Helper()
	choice := pack.Choice{Filters: filters}
	if redact != "" {
		choice.Redact = must.Get(query.ParseWhere(redact))(t)
	}
	doc, left := must.Two(pack.Make(t.Context(), c.Case, c.root, c.result, choice))(t)
	r := pack.Verify(doc, c.root)
	must.That(t, r.Verdict == verify.Verified, "%s: %v", r.Verdict, r.Findings)
	return doc, r, left
}

// seen describes the histories of a pack.
func seen(r *pack.Result) (all []string) {
	for _, h := range r.Histories {
		text := fmt.Sprintf("%s %d..%d", h.LogID, h.First, h.Last)
		if h.Seen != nil {
			text += fmt.Sprintf(" %d %s %s", h.Seen.Sequence, h.Seen.By, strings.Join(h.Seen.Nodes, "+"))
		}
		all = append(all, text)
	}
	return all
}

// byQuorum is the text of the checkpoint at an event of the fleet's tenant log.
func byQuorum(sequence int) string {
	return fmt.Sprintf(" %d witnessed-checkpoint mesh-berlin-1+mesh-lisbon-1+mesh-paris-1+mesh-vienna-1", sequence)
}

// TestMake: a pack has the chosen events, and the word of others that covers most of it.
func TestMake(t *testing.T) {
	t.Parallel()
	c := fleetCase(t, "")
	all := []string{"mesh-berlin-1", "mesh-lisbon-1", "mesh-oslo-1", "mesh-paris-1", "mesh-vienna-1"}
	for name, x := range map[string]struct {
		filters                     []store.Filter
		redact                      string
		disclosed, redacted, proofs int
		seen                        []string
	}{
		"events of the tenant log": {[]store.Filter{{LogID: tenantLog, First: 3, Last: 5}}, "", 3, 1, 0,
			[]string{tenantLog + " 3..133" + byQuorum(133)}},
		"two choices that overlap": {[]store.Filter{{LogID: tenantLog, First: 3, Last: 5},
			{LogID: tenantLog, First: 5, Last: 6}}, "", 4, 1, 0, []string{tenantLog + " 3..133" + byQuorum(133)}},
		"an event of a journal, by a report": {[]store.Filter{{LogID: berlin, First: 2, Last: 2}}, "", 2, 1, 0,
			[]string{berlin + " 2..2 2 node-report ", tenantLog + " 29..133" + byQuorum(133)}},
		"the same, and no report may be disclosed": {[]store.Filter{{LogID: berlin, First: 2, Last: 2}}, "true", 0, 2, 0,
			[]string{berlin + " 1..2"}},
		"a transaction with its proof": {[]store.Filter{{TransactionID: transactionID, LogID: tenantLog}}, "", 7, 0, 1,
			[]string{tenantLog + " 49..161" + byQuorum(161)}},
		"a transaction of which something is redacted": {[]store.Filter{{TransactionID: transactionID, LogID: tenantLog}},
			`type != "issuance.completed"`, 1, 6, 0, []string{tenantLog + " 49..161" + byQuorum(161)}},
		"everything": {[]store.Filter{{}}, "", 384, 0, 3, []string{berlin + " 1..30 29 node-report ",
			"node/mesh-lisbon-1 1..23 22 node-report ", "node/mesh-oslo-1 1..20 19 node-report ",
			"node/mesh-paris-1 1..21 20 node-report ", "node/mesh-vienna-1 1..29 28 node-report ",
			tenantLog + " 1..261 261 journal-witness " + strings.Join(all, "+")}},
	} {
		doc, r, _ := c.packOf(t, x.redact, x.filters...)
		for _, line := range bytes.Split(bytes.TrimSuffix(doc, []byte("\n")), []byte("\n")) {
			check.OK(t, schemas.Conformance("pack-line", line), "%s", name)
		}
		check.OK(t, schemas.Conformance("pack", must.Get(json.Marshal(r))(t)), "%s", name)
		check.Equal(t, strings.Join(seen(r), "\n"), strings.Join(x.seen, "\n"), "%s", name)
		found := [3]int{r.Disclosed, r.Redacted, len(r.Proofs)}
		check.Equal(t, found, [3]int{x.disclosed, x.redacted, x.proofs}, "%s: events and proofs", name)
	}
}

// TestIncidents: a pack of each incident verifies, and one of a log that was forked shows the two
// histories that the log's owner signed.
func TestIncidents(t *testing.T) {
	t.Parallel()
	forks := 0
	for i, s := range tamper.Scripts() {
		if testing.Short() && i%9 != 0 && !strings.Contains(s.Name, "fork") {
			continue
		}
		c := fleetCase(t, s.Name)
		for _, one := range c.result.Incidents {
			var filters []store.Filter
			for _, at := range one.Ranges {
				filters = append(filters, store.Filter{TenantID: at.TenantID, LogID: at.LogID, First: at.First, Last: at.Last})
			}
			doc, _ := must.Two(pack.Make(t.Context(), c.Case, c.root, c.result, pack.Choice{Filters: filters}))(t)
			if len(doc) == 0 {
				continue
			}
			r := pack.Verify(doc, c.root)
			check.Equal(t, r.Verdict, verify.Verified, "%s: %s: %v", s.Name, one.Name, r.Findings)
			if one.Code == finding.Fork {
				forks++
				check.That(t, len(r.Shown) > 0, "%s: %s: the pack shows no fork", s.Name, one.Name)
			}
		}
	}
	check.That(t, forks > 0, "no incident was a fork")
}

// TestFalseSkipLink: an event whose skip link is false is in another history than the event that it
// should name, so that a pack of both verifies.
func TestFalseSkipLink(t *testing.T) {
	t.Parallel()
	_, r, _ := fleetCase(t, "broken-skip").packOf(t, "", store.Filter{})
	histories := map[string]int{}
	for _, h := range r.Histories {
		histories[h.LogID]++
	}
	for log, n := range histories {
		check.That(t, (n == 2) == (log == berlin), "%s has %d histories", log, n)
	}
}

// TestRedacted: values that are only in bodies that were left out are nowhere in the pack, in any decoding.
func TestRedacted(t *testing.T) {
	t.Parallel()
	c := fleetCase(t, "")
	for _, condition := range []string{"true", `log_id startsWith "node/"`, `transaction_id == "tx-2026-0002"`,
		`type startsWith "approval."`, "sequence % 3 == 1"} {
		w := must.Get(query.ParseWhere(condition))(t)
		doc, _, _ := c.packOf(t, condition, store.Filter{})
		decoded := decodings(doc)
		values := c.publicValues(t)
		for e, err := range c.Select(t.Context(), store.Filter{}) {
			must.Do(t, err)
			redacted := w.Matches(store.Candidate{Log: e.Log, Sequence: e.Link.Sequence, OccurredAt: e.OccurredAt,
				Type: e.Type, KeyID: e.KeyID, TransactionID: []byte(e.TransactionID), Data: must.Get(c.Data(&e))(t)})
			line := must.Get(seal.Parse(must.Get(c.Line(t.Context(), &e))(t)))(t)
			for _, text := range textsOf(seal.Member(line, "body")) {
				public, known := values[text]
				values[text] = public || known && !redacted || !redacted
			}
		}
		hidden := 0
		for text, public := range values {
			if !public && len(text) >= 8 {
				hidden++
				check.That(t, !bytes.Contains(decoded, []byte(text)), "%s: the pack has %q", condition, text)
			}
		}
		check.That(t, hidden > 20, "%s: only %d values are redacted", condition, hidden)
	}
}

// publicValues are the texts that a pack can have of events without their bodies, and of statements.
func (c examined) publicValues(t testing.TB) map[string]bool {
	t.Helper()
	values := map[string]bool{}
	for e, err := range c.Select(t.Context(), store.Filter{}) {
		must.Do(t, err)
		line := must.Get(seal.Parse(must.Get(c.Line(t.Context(), &e))(t)))(t)
		body := seal.Member(line, "body")
		digest := chain.Hash(sha256.Sum256(seal.Canonical(body)))
		delete(line, "body")
		for _, text := range append(textsOf(line), seal.Text(body, "log_id"), digest.String()) {
			values[text] = true
		}
	}
	for d, err := range c.Documents(t.Context()) {
		must.Do(t, err)
		if b, err := seal.Parse(d.Bytes); err == nil && b["checkpoint"] != nil {
			for _, text := range textsOf([]any{b["checkpoint"], b["witness_receipts"]}) {
				values[text] = true
			}
		}
	}
	return values
}

// textsOf returns all texts within a value of JSON.
func textsOf(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			all = append(all, textsOf(one)...)
		}
	case seal.Object:
		for _, one := range v {
			all = append(all, textsOf(one)...)
		}
	}
	return all
}

// decodings returns a pack with its texts decoded from base64 after it.
func decodings(doc []byte) []byte {
	decoded := bytes.Clone(doc)
	for _, text := range regexp.MustCompile(`"[\w-]{11,}"`).FindAll(doc, -1) {
		if octets, ok := form.Base64URL(string(text[1 : len(text)-1])); ok {
			decoded = append(append(decoded, '\n'), octets...)
		}
	}
	return decoded
}

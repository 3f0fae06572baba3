package ingest

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// TestOtherServices: whatever another service logs is its record and no damage,
// also where it is not I-JSON. What was an event, or may have been one, is never
// taken for such a record.
func TestOtherServices(t *testing.T) {
	log := seal.NewLog("acme-corp", "node/mesh-oslo-1")
	whole := string(seal.Canonical(log.Append(seal.Entry{Type: "policy.synced"},
		seal.Key{ID: "mesh-oslo-1", Private: make([]byte, 64)})))
	for body, want := range map[string]finding.Code{
		"served 17 requests":            finding.SourceNoRecord,
		"17":                            finding.SourceNoRecord,
		"0.7":                           finding.SourceNoRecord,
		`{"latency":0.7,"error":null}`:  finding.SourceNoRecord,
		` {"a":1,"a":2}`:                finding.SourceNoRecord,
		`{"a":"\ud800"}`:                finding.SourceNoRecord,
		`["a",1e400]`:                   finding.SourceNoRecord,
		`{"hash":"x","signature":null}`: finding.SourceNoRecord,
		`{"a":`:                         finding.SourceUnparseable,
		`{"a":1}}`:                      finding.SourceAmbiguous,
		`["a"`:                          finding.SourceUnparseable,
		`"a`:                            finding.SourceUnparseable,
		"\xff\xfe":                      finding.SourceInvalidUTF8,
		strings.Replace(whole, "}", `,"x":null}`, 1): finding.SourceUnparseable,
		strings.Replace(whole, "}", `,"x":0.5}`, 1):  finding.SourceUnparseable,
		"event " + whole: finding.SourceUnparseable,
		strings.Replace(whole, `"body"`, `"body":{},"body"`, 1): finding.Ambiguous,
		strings.Replace(whole, `"signature"`, `"hash"`, 1):      finding.SourceAmbiguous,
		strings.Replace(whole, `"body":{`, `"body":{"`, 1):      finding.SourceUnparseable,
	} {
		got := finding.Code("an event")
		if skip := scanEvent([]byte(body), &facts.Arrival{Line: &event.Line{}}); skip != nil {
			got = finding.Code(skip.Code)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

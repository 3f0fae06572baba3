package ingest

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// TestOtherServices: whatever another service logs is its record and no damage,
// also where it is not I-JSON. What was an event, or may have been one, is never
// taken for such a record.
func TestOtherServices(t *testing.T) {
	log := seal.NewLog("acme-corp", "node/mesh-oslo-1")
	event := string(seal.Canonical(log.Append(seal.Entry{Type: "policy.synced"}, seal.Key{ID: "mesh-oslo-1", Private: make([]byte, 64)})))
	for body, want := range map[string]string{
		"served 17 requests":            "source.no-record",
		"17":                            "source.no-record",
		"0.7":                           "source.no-record",
		`{"latency":0.7,"error":null}`:  "source.no-record",
		` {"a":1,"a":2}`:                "source.no-record",
		`{"a":"\ud800"}`:                "source.no-record",
		`["a",1e400]`:                   "source.no-record",
		`{"hash":"x","signature":null}`: "source.no-record",
		`{"a":`:                         codeUnparseable,
		`{"a":1}}`:                      codeAmbiguous,
		`["a"`:                          codeUnparseable,
		`"a`:                            codeUnparseable,
		"\xff\xfe":                      codeInvalidUTF8,
		strings.Replace(event, "}", `,"x":null}`, 1): codeUnparseable,
		strings.Replace(event, "}", `,"x":0.5}`, 1):  codeUnparseable,
		"event " + event: codeUnparseable,
		strings.Replace(event, `"body"`, `"body":{},"body"`, 1): codeAmbiguous,
		strings.Replace(event, `"body":{`, `"body":{"`, 1):      codeUnparseable,
	} {
		got := "an event"
		if skip := scanEvent([]byte(body), &casefile.Arrival{}); skip != nil {
			got = skip.Code
		}
		if got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

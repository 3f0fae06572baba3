package event

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"

	"pgregory.net/rapid"
)

// lines returns every event of a scene, of the tenant log and all journals.
func lines(t testing.TB) [][]byte { return must.Get(linesOnce())(t) }

var linesOnce = sync.OnceValues(func() (all [][]byte, err error) {
	for _, name := range []string{"capability", "rotated-keys", "denied"} {
		s, err := harness.Build(name, 1, harness.Options{})
		if err != nil {
			return nil, err
		}
		for _, e := range s.Tenant {
			all = append(all, seal.Canonical(e))
		}
		for _, journal := range s.Journals {
			for _, e := range journal {
				all = append(all, seal.Canonical(e))
			}
		}
	}
	return all, nil
})

// read is Read over bytes: the event, and whether it is without fault.
func read(line []byte) (Event, bool) {
	v, fault := ijson.Parse(line)
	if fault != nil {
		return Event{}, false
	}
	var r form.Reader
	e := Read(&r, v)
	return e, len(r.Faults()) == 0
}

// agree holds Scan and Read to the same answer.
func agree(t interface{ Fatalf(string, ...any) }, line []byte) (accepted bool) {
	var l Line
	scanned := Scan(line, &l)
	e, ok := read(line)
	if want := ok && ijson.IsCanonical(line); scanned != want {
		t.Fatalf("Scan %t, Read %t, canonical %t: %s", scanned, ok, ijson.IsCanonical(line), line)
	}
	if !scanned {
		return false
	}
	same := string(l.TenantID) == e.TenantID && string(l.LogID) == e.LogID && string(l.Type) == e.Type &&
		string(l.TransactionID) == e.TransactionID && string(l.KeyID) == e.KeyID &&
		l.OccurredAt == e.OccurredAt.UnixMilli() &&
		l.Link == e.Link && l.Recorded == e.Recorded && bytes.Equal(l.Signature[:], e.Signature) &&
		bytes.Equal(l.Data, e.Data.Raw())
	if !same {
		t.Fatalf("Scan and Read differ:\n%+v\n%+v", l, e)
	}
	return true
}

func TestScenesAreRead(t *testing.T) {
	types := map[string]bool{}
	for _, line := range lines(t) {
		must.That(t, agree(t, line), "a sound event is refused: %s", line)
		e, _ := read(line)
		types[e.Type] = true
		check.That(t, e.Link.Hash() == e.Recorded, "the hash is not the link's: %s", line)
	}
	for name := range closed {
		check.That(t, types[name] || name == CertificateRevoked, "no event of type %s among the scenes", name)
	}
}

// TestScanAgreesWithRead: over events with bytes changed, cut out and put in.
func TestScanAgreesWithRead(t *testing.T) {
	all := lines(t)
	rapid.Check(t, func(t *rapid.T) {
		line := bytes.Clone(rapid.SampledFrom(all).Draw(t, "event"))
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			i := rapid.IntRange(0, len(line)-1).Draw(t, "at")
			j := rapid.IntRange(i, min(i+12, len(line))).Draw(t, "to")
			text := rapid.SampledFrom([]string{"", "0", "1", "a", "A", `"`, "{", "}", ",", `\u0000`, `},"hash":`,
				`,"log_id":`, "é", "/", "-"}).Draw(t, "text")
			line = []byte(string(line[:i]) + text + string(line[j:]))
			if len(line) == 0 {
				return
			}
		}
		agree(t, line)
	})
}

// TestEveryByteMatters: each byte of an event, changed in turn to its
// neighbours, is read alike by both. With -short, each is changed in one way.
func TestEveryByteMatters(t *testing.T) {
	seen := map[string]bool{}
	for _, line := range lines(t) {
		e, _ := read(line)
		if seen[e.Type] {
			continue
		}
		seen[e.Type] = true
		for i := range line {
			flips := []byte{0x01, 0x20, 0x80}
			if testing.Short() {
				flips = flips[i%3 : i%3+1]
			}
			for _, flip := range flips {
				changed := bytes.Clone(line)
				changed[i] ^= flip
				agree(t, changed)
			}
		}
	}
}

func TestOpenData(t *testing.T) {
	sound := string(lines(t)[0])
	at := strings.Index(sound, `"data":`) + len(`"data":`)
	end := strings.Index(sound, `,"log_id":`)
	typed := strings.Index(sound, `"type":"`) + len(`"type":"`)
	sound = sound[:typed] + "other.type" + sound[typed+strings.IndexByte(sound[typed:], '"'):]
	for data, want := range map[string]bool{
		`{}`:                              true,
		`{"a":{"log_id":"x","type":"y"}}`: true,
		`{"a":"},\"hash\":\"x"}`:          true,
		`{"a":"\\"}`:                      true,
		`{"a":"\\\"{","b":"\\\\"}`:        true,
		`{"xlog_id":"y","ylog_id":{}}`:    true,
		`[]`:                              false,
		`"x"`:                             false,
		`1`:                               false,
		strings.Repeat(`{"a":`, 15) + "{}" + strings.Repeat("}", 15): true,
		strings.Repeat(`{"a":`, 16) + "{}" + strings.Repeat("}", 16): false,
		`{"a":"` + strings.Repeat("{", 40) + `"}`:                    true,
		`{"a":"` + strings.Repeat("x", 1<<20) + `"}`:                 false,
		`{"a":1},"hash":"x"`: false,
		`{"a":1},"log_id":"node/x","occurred_at":"2026-01-01T00:00:00Z"`: false,
	} {
		check.Equal(t, agree(t, []byte(sound[:at]+data+sound[end:])), want, "data %.60s: accepted", data)
	}
}

// TestOutsideOfData: the members around the data are canonical too.
func TestOutsideOfData(t *testing.T) {
	sound := string(lines(t)[0])
	for _, change := range [][2]string{
		{`"sequence":`, `"sequence":0`},
		{`"sequence":`, `"sequence": `},
		{`"sequence":`, `"sequence":-`},
		{`"signature":"`, `"signature":"` + "\n"},
		{`"salt":"`, `"salt":"` + "\r\n"},
		{`"key_id":"`, `"key_id":"\u0061`},
		{`"log_id":"tenant/`, `"log_id":"tenant\/`},
		{`"type":"`, `"type":"` + "\xff"},
		{`,"log_id":`, `,"extra":1,"log_id":`},
		{`,"log_id":`, ` ,"log_id":`},
	} {
		changed := strings.Replace(sound, change[0], change[1], 1)
		check.That(t, changed != sound && !agree(t, []byte(changed)), "accepted with %q", change[1])
	}
	i := strings.Index(sound, `"signature":"`) + len(`"signature":"`)
	check.That(t, !agree(t, []byte(sound[:i]+"\n"+sound[i+1:])), "a line feed stands for a digit of the signature")
}

func FuzzScan(f *testing.F) {
	for _, line := range lines(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) { agree(t, line) })
}

func BenchmarkScan(b *testing.B) {
	all := lines(b)
	size := 0
	for _, line := range all {
		size += len(line)
	}
	b.Run("Scan", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(size))
		var l Line
		for b.Loop() {
			for _, line := range all {
				must.That(b, Scan(line, &l), "refused")
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/event")
	})
	b.Run("Read", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(size))
		for b.Loop() {
			for _, line := range all {
				_, ok := read(line)
				must.That(b, ok, "refused")
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/event")
	})
}

// TestContentHash: the hash of an event is computed unless it is known, or the event was judged.
func TestContentHash(t *testing.T) {
	known := Judgement{Computed: chain.Hash{1}}
	for _, tt := range []struct {
		judgement Judgement
		want      chain.Hash
	}{{Judgement{}, chain.Link{}.Hash()}, {known, known.Computed}, {Judgement{Signed: Neither}, chain.Hash{}}} {
		check.Equal(t, (&Header{Judgement: tt.judgement}).ContentHash(), tt.want, "%+v", tt.judgement)
	}
}

// TestLongestValues: the windows in which Scan looks for the end of the body
// and of the data hold the longest values.
func TestLongestValues(t *testing.T) {
	long := strings.Repeat("x", 100)
	body := seal.Object{
		"protocol": Protocol, "tenant_id": long, "log_id": "tenant/" + long, "sequence": int64(form.MaxInt),
		"occurred_at": "2026-03-02T09:00:00.000Z", "type": strings.Repeat("t", 128), "transaction_id": long,
		"salt": "AAECAwQFBgcICQoLDA0ODw", "data": seal.Object{"hash": seal.Object{}, "log_id": seal.Object{}},
	}
	digest := strings.Repeat("0", 64)
	line := seal.Canonical(seal.Object{
		"body": body, "hash": digest, "previous_hash": digest, "skip_hash": digest,
		"key_id": strings.Repeat("k", 128), "signature": strings.Repeat("A", 86),
	})
	check.That(t, agree(t, line), "the longest event is refused")
}

// TestClosed: the members of closed data come with their values, each as it is
// written, and nothing else is taken.
func TestClosed(t *testing.T) {
	digest := strings.Repeat("0f", 32)
	signature := strings.Repeat("A", 86)
	sound := map[string]map[string]string{
		ApprovalSigned:     {"approval_sha256": digest, "decision": "allow"},
		ApprovalRecorded:   {"approval_sha256": digest, "node_id": "mesh-1"},
		DecisionRecorded:   {"decision": "deny", "decision_sha256": digest, "trust_domain": "service"},
		IssuanceCompleted:  {"manifest_sha256": digest},
		CertificateRevoked: {"manifest_sha256": digest, "revocation_receipt_sha256": digest},
		CapabilityObserved: {"capability_evidence_sha256": digest},
		CheckpointWitness:  {"checkpoint_sha256": digest, "head_hash": digest, "sequence": "17"},
		NodeReported: {"audit_head": digest, "audit_sequence": "9007199254740991", "body_sha256": digest, "key_id": "k/1",
			"node_id": "mesh-1", "previous_hash": digest, "signature": signature, "skip_hash": digest},
	}
	for eventType, want := range sound {
		var members []string
		for _, name := range slices.Sorted(maps.Keys(want)) {
			value := `"` + want[name] + `"`
			if strings.HasSuffix(name, "sequence") {
				value = want[name]
			}
			members = append(members, `"`+name+`":`+value)
		}
		data := "{" + strings.Join(members, ",") + "}"
		got := map[string]string{}
		check.That(t, Closed(eventType, []byte(data), func(name string, value []byte) { got[name] = string(value) }) &&
			maps.Equal(got, want), "%s: %v", data, got)
		for _, other := range []string{"", "{}", data[:len(data)-1], data + "}", " " + data,
			strings.Replace(data, "{", `{"a":1,`, 1),
			strings.Replace(data, ":", ": ", 1), strings.Replace(data, "0f", "0F", 1)} {
			check.That(t, other == data || !Closed(eventType, []byte(other), func(string, []byte) {}),
				"%s: %s was taken", eventType, other)
		}
	}
	check.That(t, !Closed("policy.synced", []byte("{}"), func(string, []byte) {}) && len(sound) == len(closed),
		"open data was taken, or a type is not tried")
}

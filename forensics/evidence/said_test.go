package evidence_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
)

func hashOf(b byte) chain.Hash { return chain.Hash(bytes.Repeat([]byte{b}, 32)) }

// report returns a node's report of its head.
func report() walk.Report {
	r := walk.Report{Node: "berlin"}
	r.Link = chain.Link{Sequence: 1 << 40, Previous: hashOf(2), Skip: hashOf(3), Body: hashOf(4)}
	r.Recorded, r.KeyID = r.Link.Hash(), "node/berlin/1"
	r.Signature = [event.SignatureSize]byte(bytes.Repeat([]byte{9}, event.SignatureSize))
	return r
}

// TestReadSaid: the data of each closed type is read, and nothing of other data.
func TestReadSaid(t *testing.T) {
	h, r := hashOf(7), report()
	signature := base64.RawURLEncoding.EncodeToString(r.Signature[:])
	for _, c := range []struct {
		of, data string
		want     evidence.Said
	}{
		{event.ApprovalSigned, `{"approval_sha256":"%h","decision":"deny"}`, evidence.Said{Digest: h, Decision: "deny"}},
		{event.ApprovalRecorded, `{"approval_sha256":"%h","node_id":"paris"}`, evidence.Said{Digest: h, Node: "paris"}},
		{event.DecisionRecorded, `{"decision":"allow","decision_sha256":"%h","trust_domain":"customer"}`,
			evidence.Said{Digest: h, Decision: "allow", Domain: "customer"}},
		{event.IssuanceCompleted, `{"manifest_sha256":"%h"}`, evidence.Said{Digest: h}},
		{event.CertificateRevoked, `{"manifest_sha256":"%h","revocation_receipt_sha256":"` + hashOf(8).String() + `"}`,
			evidence.Said{Digest: h}},
		{event.CheckpointWitness, `{"checkpoint_sha256":"%h","head_hash":"` + hashOf(8).String() + `","sequence":300}`,
			evidence.Said{Digest: h, Head: hashOf(8), Sequence: 300}},
		{event.CapabilityObserved, `{"capability_evidence_sha256":"%h"}`, evidence.Said{Digest: h}},
		{event.NodeReported, fmt.Sprintf(`{"audit_head":"%s","audit_sequence":%d,"body_sha256":"%s","key_id":"%s",`+
			`"node_id":"berlin","previous_hash":"%s","signature":"%s","skip_hash":"%s"}`, r.Recorded, r.Link.Sequence,
			r.Link.Body, r.KeyID, r.Link.Previous, signature, r.Link.Skip), evidence.Said{Node: "berlin", Report: r}},
	} {
		data := strings.ReplaceAll(c.data, "%h", h.String())
		got, ok := evidence.ReadSaid(c.of, []byte(data))
		check.That(t, ok && got == c.want, "%s: %t, %+v\nwant %+v", c.of, ok, got, c.want)
		if _, ok := evidence.ReadSaid(c.of, []byte(strings.Replace(data, "{", `{"a":1,`, 1))); ok {
			t.Errorf("%s: data with another member is read", c.of)
		}
		there(t, c.want)
	}
	_, ok := evidence.ReadSaid("policy.synced", []byte("{}"))
	check.That(t, !ok, "open data is read")
}

// there writes a Said, and reads it again.
func there(t *testing.T, s evidence.Said) []byte {
	t.Helper()
	b := evidence.AppendSaid([]byte{1}, &s)[1:]
	got, err := evidence.ParseSaid(b)
	check.That(t, err == nil && got == s, "%v, %+v\nwant %+v", err, got, s)
	check.That(t, len(b) <= evidence.MostSaid, "%d octets, at most %d", len(b), evidence.MostSaid)
	return b
}

// TestSaidWithJudgement: of a report that was judged, neither the digest of the body
// nor the signature is kept.
func TestSaidWithJudgement(t *testing.T) {
	whole := report()
	size := len(there(t, evidence.Said{Node: whole.Node, Report: whole}))
	for _, signed := range []event.Signed{event.Neither, event.OverContent} {
		for _, computed := range []chain.Hash{whole.Recorded, hashOf(5)} {
			r := whole
			r.Judgement = event.Judgement{Computed: computed, Signed: signed}
			b := evidence.AppendSaid(nil, &evidence.Said{Node: r.Node, Report: r})
			r.Link.Body, r.Signature = chain.Hash{}, [event.SignatureSize]byte{}
			got, err := evidence.ParseSaid(b)
			check.That(t, err == nil && got.Report == r, "%v, %+v\nwant %+v", err, got.Report, r)
			spared := size - len(b)
			check.That(t, spared >= event.SignatureSize, "%d octets fewer", spared)
		}
	}
}

// TestLongestSaid: a report with the longest texts that events can have fits.
func TestLongestSaid(t *testing.T) {
	r := report()
	r.Node, r.KeyID, r.Link.Sequence = strings.Repeat("n", 100), strings.Repeat("k", 128), form.MaxInt
	there(t, evidence.Said{Node: r.Node, Report: r})
}

// TestParseSaidRefuses: no bytes are read but those that are written.
func TestParseSaidRefuses(t *testing.T) {
	r := report()
	r.Judgement = event.Judgement{Computed: r.Recorded, Signed: event.OverContent}
	whole := evidence.AppendSaid(nil, &evidence.Said{Digest: hashOf(1), Node: r.Node, Decision: "deny", Sequence: 4,
		Head: hashOf(2), Report: r})
	for n := range whole {
		check.That(t, check.Err(evidence.ParseSaid(whole[:n])) != nil, "the first %d octets are read", n)
	}
	last := len(whole) - 1
	for name, bad := range map[string][]byte{
		"an octet more":             append(bytes.Clone(whole), 0),
		"an unknown member":         append([]byte{whole[0] | 0x80}, whole[1:]...),
		"another judgement":         append(bytes.Clone(whole[:last]), 9),
		"the same hash as another":  append(append(bytes.Clone(whole[:last]), whole[last]|4), r.Recorded[:]...),
		"a digest of nothing":       append([]byte{1}, make([]byte, 32)...),
		"a text of nothing":         {2, 0},
		"a text of other octets":    {2, 1, '"'},
		"a long form of an integer": append([]byte{16, 0x84, 0}, make([]byte, 32)...),
		"too large an integer": append([]byte{16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
			make([]byte, 32)...),
	} {
		s, err := evidence.ParseSaid(bad)
		check.That(t, err != nil, "%s is read: %+v", name, s)
	}
}

// FuzzParseSaid: a form that is read is written as the same bytes.
func FuzzParseSaid(f *testing.F) {
	r := report()
	f.Add(evidence.AppendSaid(nil, &evidence.Said{Digest: hashOf(1), Node: r.Node, Report: r}))
	f.Add(evidence.AppendSaid(nil, &evidence.Said{Digest: hashOf(1), Decision: "deny", Sequence: 4, Head: hashOf(2)}))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := evidence.ParseSaid(b)
		check.That(t, err != nil || bytes.Equal(evidence.AppendSaid(nil, &s), b), "%x is %+v", b, s)
	})
}

package ingest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestEveryFormatIsTheSameEvents: whatever a store made of the events, there is
// one copy of each in the case, as well kept as the best of the dumps.
func TestEveryFormatIsTheSameEvents(t *testing.T) {
	want := journal(berlin, chance.Sized(30, 15), 1)
	dir := t.TempDir()
	files := 0
	for i, f := range dumps.Formats() {
		if f.Text == 0 || f.Text == read.Lossy {
			continue
		}
		files++
		name := write(t, dir, fmt.Sprintf("%02d", i), f.Write(want, dumps.Options{Batches: []string{"one"}}))
		if i%chance.Sized(1, 6) != 0 {
			continue
		}
		path := newCase(t, Options{}, name)
		if got := lines(t, path, berlin); !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%s: %d lines of %d, or others", f.Name, len(got), len(want))
			continue
		}
		for _, e := range eventsOf(t, path, berlin) {
			must.That(t, e.Fidelity == facts.Fidelity(f.Text),
				"%s: fidelity %d, want %d", f.Name, e.Fidelity, f.Text)
		}
	}
	path := newCase(t, Options{}, dir)
	if got := lines(t, path, berlin); !slices.EqualFunc(got, want, bytes.Equal) {
		t.Fatalf("all together: %d lines of %d, or others", len(got), len(want))
	}
	for _, e := range eventsOf(t, path, berlin) {
		must.That(t, e.Fidelity == facts.Exact && e.Deliveries >= int64(files)/2, "all together: %+v", e)
	}
}

func eventsOf(t *testing.T, path, logID string) []facts.Event {
	t.Helper()
	c := openRead(t, path)
	var all []facts.Event
	for _, log := range must.Have(c.Logs(t.Context())) {
		if log.LogID != logID {
			continue
		}
		for e, err := range c.Select(t.Context(), copiesOf(log)) {
			must.Do(t, err)
			all = append(all, e.Event)
		}
	}
	return all
}

// TestScenes ingests the service's own output: both kinds of log come back byte for byte, and
// the bundles as documents.
func TestScenes(t *testing.T) {
	for _, name := range []string{"capability", "rotated-keys"} {
		dir := t.TempDir()
		s := must.Get(harness.WriteScene(name, 1, harness.Options{}, dir))(t)
		path := newCase(t, Options{}, dir)
		same := func(logID, file string) {
			want := must.Have(os.ReadFile(filepath.Join(dir, file)))
			check.That(t, bytes.Equal(append(bytes.Join(lines(t, path, logID), []byte("\n")), '\n'), want),
				"%s: %s came back as other bytes", name, logID)
		}
		same("tenant/"+harness.Tenant, "tenant.ndjson")
		for node := range s.Journals {
			same("node/"+node, filepath.Join("journals", node+".ndjson"))
		}
		bundles := 0
		for d, err := range openRead(t, path).Documents(t.Context()) {
			must.Do(t, err)
			if d.Kind == "bundle" {
				bundles++
			}
			check.That(t, len(d.Places) != 0, "%s: a document without a place", name)
		}
		files := must.Get(filepath.Glob(filepath.Join(dir, "svc-evidence-*.json")))(t)
		check.That(t, bundles == len(files) && bundles != 0,
			"%s: %d bundles, want %d", name, bundles, len(files))
	}
}

const testTenant = "acme-corp"

// journal makes n linked events of a log, one canonical line each without line
// feed. Signatures are bytes that no one made: the case does not verify.
func journal(log string, n int, seed uint64) [][]byte {
	random := rand.New(rand.NewPCG(seed, 1))
	hashes := map[uint64]chain.Hash{0: chain.Genesis(testTenant, log)}
	lines := make([][]byte, n)
	for i := range lines {
		sequence := uint64(i + 1)
		link := chain.Link{Sequence: sequence, Previous: hashes[sequence-1], Skip: hashes[chain.Skip(sequence)]}
		lines[i] = sealEvent(testBody(log, sequence, random), link)
		hashes[sequence] = hashOf(lines[i])
	}
	return lines
}

func testBody(log string, sequence uint64, random *rand.Rand) string {
	var salt [16]byte
	for i := range salt {
		salt[i] = byte(random.Uint32())
	}
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).Add(time.Duration(sequence) * 1373 * time.Millisecond)
	transaction := ""
	if sequence%3 == 0 {
		transaction = fmt.Sprintf(`"transaction_id":"tx-2026-%08d",`, sequence/9)
	}
	return fmt.Sprintf(
		`{"data":{"detail":"the policy of the fleet was read again and found to be the one that is in force","nonce":%d,`+
			`"policy_sha256":"%x","policy_version":%d},`+
			`"log_id":%q,"occurred_at":%q,"protocol":%q,"salt":%q,"sequence":%d,"tenant_id":%q,%s"type":"policy.synced"}`,
		random.Uint32(), sha256.Sum256([]byte("policy")), sequence%7+1, log, at.Format("2006-01-02T15:04:05.000Z"),
		event.Protocol, base64.RawURLEncoding.EncodeToString(salt[:]), sequence, testTenant, transaction)
}

// seal makes an event of a body and its links, with the right hash.
func sealEvent(body string, link chain.Link) []byte {
	link.Body = sha256.Sum256([]byte(body))
	h := link.Hash()
	signature := append(h[:], h[:]...)
	return fmt.Appendf(nil,
		`{"body":%s,"hash":"%s","key_id":"mesh-berlin-1","previous_hash":"%s","signature":"%s","skip_hash":"%s"}`, body, h,
		link.Previous, base64.RawURLEncoding.EncodeToString(signature), link.Skip)
}

// hashOf is the hash that an event claims.
func hashOf(line []byte) chain.Hash {
	var l event.Line
	if !event.Scan(line, &l) {
		panic("not an event: " + string(line))
	}
	return l.Recorded
}

// file joins lines into a journal file.
func file(lines [][]byte) []byte {
	return append(bytes.Join(lines, []byte("\n")), '\n')
}

func TestGeneratedEventsAreSound(t *testing.T) {
	for _, line := range journal("node/mesh-berlin-1", 50, 1) {
		var l event.Line
		must.That(t, event.Scan(line, &l) && l.Link.Hash() == l.Recorded, "not a sound event: %s", line)
	}
}

package conclude_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// crowded are logs with more to report than any cap admits: two journals and the tenant log,
// in the lines of some files.
type crowded struct {
	keys   map[string]seal.Key
	logs   map[string]*seal.Log
	salts  *chance.Stream
	signer seal.Key
	now    time.Time
	lines  map[string][][]byte // by log
}

const oslo, lima, crowdedTenant = "node/oslo", "node/lima", "tenant/acme"

func newCrowded() *crowded {
	s := chance.New(1).Stream("caps")
	c := &crowded{keys: map[string]seal.Key{}, logs: map[string]*seal.Log{}, lines: map[string][][]byte{}, salts: s,
		signer: seal.Key{ID: "signer", Private: s.Ed25519()}, now: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)}
	for _, log := range []string{oslo, lima, crowdedTenant} {
		c.keys[log], c.logs[log] = seal.Key{ID: filepath.Base(log), Private: s.Ed25519()}, seal.NewLog("acme", log)
	}
	return c
}

func (c *crowded) root(t *testing.T) *trust.Root {
	t.Helper()
	public := func(log string) string { return seal.Base64(c.keys[log].Public()) }
	return must.Get(trust.Parse(seal.Canonical(seal.Object{"audit_keys": seal.Object{"acme": public(crowdedTenant)},
		"nodes":                 seal.Object{"oslo": public(oslo), "lima": public(lima)},
		"protected_signer_keys": seal.Object{"signer": seal.Base64(c.signer.Public())},
		"registries":            seal.Object{"1": seal.Base64(make([]byte, 32))}})))(t)
}

// add adds an event to a log, a second after the one before.
func (c *crowded) add(log, kind, transaction string, data seal.Object) {
	c.now = c.now.Add(time.Second)
	e := c.logs[log].Append(seal.Entry{Type: kind, OccurredAt: c.now, TransactionID: transaction, Salt: c.salts.Salt(),
		Data: data}, c.keys[log])
	c.lines[log] = append(c.lines[log], append(seal.Canonical(e), '\n'))
}

// spoil changes the signature of the newest event of a log.
func (c *crowded) spoil(log string) {
	all := c.lines[log]
	line := all[len(all)-1]
	at := bytes.Index(line, []byte(`"signature":"`)) + len(`"signature":"`)
	line[at+3] = map[bool]byte{true: 'B', false: 'A'}[line[at+3] == 'A']
}

func approvalOf(n int) string { return seal.SHA256(fmt.Appendf(nil, "approval %d", n)) }

func (c *crowded) sign(log string, n int) {
	c.add(log, event.ApprovalSigned, fmt.Sprintf("tx-%d", n),
		seal.Object{"approval_sha256": approvalOf(n), "decision": "allow"})
}

func (c *crowded) record(node string, n int, transaction string) {
	c.add(crowdedTenant, event.ApprovalRecorded, transaction,
		seal.Object{"approval_sha256": approvalOf(n), "node_id": strings.TrimPrefix(node, "node/")})
}

// write deals the lines of the logs to files, some to several, as the draw has it.
func (c *crowded) write(t *testing.T, dir string, r *rand.Rand, files int) *laid {
	t.Helper()
	texts := make([]bytes.Buffer, files)
	for _, log := range []string{oslo, lima, crowdedTenant} {
		for i, line := range c.lines[log] {
			copies := 1
			if i%10 == 0 && i < 1000 {
				copies = files
			}
			for range copies {
				texts[r.IntN(files)].Write(line)
			}
		}
	}
	l := &laid{root: c.root(t)}
	must.Do(t, os.MkdirAll(dir, 0o750))
	for i := range texts {
		for n := range 3 * i { // more damage than a finding has places
			fmt.Fprintf(&texts[i], "damage %d\n", n)
		}
		path := filepath.Join(dir, fmt.Sprintf("%02d.ndjson", i))
		must.Do(t, os.WriteFile(path, texts[i].Bytes(), 0o600))
		l.paths = append(l.paths, path)
	}
	return l
}

// overfull is more findings than are listed of a code about a log, more places than are listed of a
// finding and, of more than 20,000 events, more findings than are listed of a log.
func overfull(events int) *crowded {
	c := newCrowded()
	for n := range events {
		c.add(oslo, "policy.synced", "", seal.Object{"policy_version": int64(n)})
		if n%2 == 0 || n < 60 {
			c.spoil(oslo)
		}
	}
	for n := range 200 {
		c.sign(lima, n)
		c.record(lima, n, fmt.Sprintf("other-%d", n))
	}
	return c
}

// waiting is more approvals than may wait for their other side: first the approvals of one
// journal, and then some of the other. Later the tenant log records a few of both.
func waiting(most int) *crowded {
	c := newCrowded()
	for n := range most + 200 {
		c.sign([]string{oslo, lima}[min(n/(most-100), 1)], n)
	}
	for n := range 200 {
		c.record(oslo, n, fmt.Sprintf("tx-%d", n))
		c.record(lima, most+n, fmt.Sprintf("tx-%d", most+n))
	}
	return c
}

// TestCaps: the content that a cap cuts off does not depend on the order in which evidence
// came. The files are given in other orders, and their parts joined in other groups.
func TestCaps(t *testing.T) {
	for _, c := range []struct {
		name   string
		long   bool
		tries  int
		make   func() *crowded
		beyond []string             // the answer's texts about the caps
		places map[finding.Code]int // how many the findings of a code have at most
	}{
		{"places", false, 2, func() *crowded { return overfull(300) }, []string{"at most 16 findings of this kind",
			"at most 64 findings of this kind"},
			map[finding.Code]int{finding.SignatureInvalid: 16, finding.DuplicateDelivery: 4}},
		{"findings", true, 1, func() *crowded { return overfull(20_100) }, []string{"at most 10000 findings"}, nil},
		{"approvals that are spilled", true, 1, func() *crowded { return waiting(1 << 17) },
			[]string{"at most 64 findings of this kind"}, nil},
	} {
		if c.long && testing.Short() {
			continue // it signs 20,000 events, or 130,000
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(*seed, 1))
			dir := filepath.Join(t.TempDir(), "evidence")
			l := c.make().write(t, dir, r, 9)
			want := alone(t, l)
			for _, beyond := range c.beyond {
				check.That(t, bytes.Contains(want, []byte(beyond)), "the answer has nothing of %q", beyond)
			}
			for code, most := range c.places {
				got := mostPlaces(t, want, code)
				check.That(t, got == most, "%s: a finding has %d places, expected %d", code, got, most)
			}
			var d division
			for _, path := range l.paths {
				s, err := share.Read(t.Context(), []string{path}, l.root, share.Options{Options: l.how(), Dir: t.TempDir()})
				d.atoms = append(d.atoms, taken(t, filepath.Base(path), s, err))
			}
			for range c.tries {
				r.Shuffle(len(l.paths), func(a, b int) { l.paths[a], l.paths[b] = l.paths[b], l.paths[a] })
				if got := alone(t, l); !bytes.Equal(got, want) {
					t.Errorf("in the order %q: %s", l.paths, difference(want, got))
				}
				joined := (&joiner{T: t, Rand: r}).join(slices.Clone(d.atoms))
				if got := written(t, conclude(t, joined, d, l)); !bytes.Equal(got, want) {
					t.Errorf("%s: %s", joined.name, difference(want, got))
				}
			}
		})
	}
}

// alone returns one machine's answer on the evidence.
func alone(t *testing.T, l *laid) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.db")
	pour(t, path, l)
	return examined(t, path, l)
}

// mostPlaces is how many places a finding of a code has at most.
func mostPlaces(t *testing.T, answer []byte, code finding.Code) (most int) {
	t.Helper()
	var said struct {
		Findings []finding.Finding `json:"findings"`
	}
	must.Do(t, json.Unmarshal(answer, &said))
	for _, f := range said.Findings {
		if f.Code == code {
			most = max(most, len(f.Evidence))
		}
	}
	return most
}

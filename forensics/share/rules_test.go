package share_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"hash"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// row is a copy in words.
type row struct {
	Sequence                           uint64
	Digest                             [part.DigestSize]byte
	Recorded, Computed, Previous, Skip chain.Hash
	KeyID, Type                        string
	OccurredAt                         int64
	Signed                             event.Signed
	Size                               int64
	Arrivals                           []part.Arrival
}

// document is a document as it is in a part.
type document struct {
	SHA256      chain.Hash
	Kind        string
	Places      []part.Place
	Walk, Cross []byte
}

// records digests the records of a share in words, so that the form of a part does not
// matter. Paths are left out.
func records(t *testing.T, s *share.Share) string {
	h := sha256.New()
	for _, one := range s.Shares() {
		one.Paths = nil
		fmt.Fprintf(h, "%+v\n", one)
	}
	put(t, h, s.Skips(t.Context()))
	for d, err := range s.Documents(t.Context()) {
		must.Do(t, err)
		fmt.Fprintf(h, "%+v\n", document{d.SHA256, d.Kind, d.Places, d.Walk, d.Cross})
	}
	for _, log := range s.Logs() {
		fmt.Fprintf(h, "%+v\n", log)
		for c, err := range s.Copies(t.Context(), log, 0) {
			must.Do(t, err)
			fmt.Fprintf(h, "%+v\n", row{c.Sequence, c.Digest, c.Recorded, c.Computed, c.Previous, c.Skip, c.KeyID, c.Type,
				c.OccurredAt, c.Signed - event.Neither, c.Size, c.Arrivals})
		}
		put(t, h, s.Statements(t.Context(), log, 0))
	}
	put(t, h, s.Batches(t.Context()))
	return fmt.Sprintf("%x", h.Sum(nil))
}

func put[T any](t *testing.T, h hash.Hash, all iter.Seq2[*T, error]) {
	for v, err := range all {
		must.Do(t, err)
		fmt.Fprintf(h, "%+v\n", *v)
	}
}

// TestRules: if the same evidence gives other records than it gave, the rules have
// another version.
func TestRules(t *testing.T) {
	e, dir := cases.Evidence(t, fleet.Scene), t.TempDir()
	must.Do(t, e.Write(dir))
	root := cases.Root(t, e)
	s := must.Get(share.Read(t.Context(), []string{dir}, root, share.Options{}))(t)
	defer s.Close()
	sources := sha256.New()
	for _, one := range s.Shares() {
		sources.Write(one.Source[:])
	}
	now := fmt.Sprintf("rules %s\nevidence %x\nrecords %s\n", share.Rules, sources.Sum(nil), records(t, s))
	file := filepath.Join("testdata", "rules.golden")
	if *update {
		must.Do(t, os.WriteFile(file, []byte(now), 0o600))
	}
	before := must.Get(os.ReadFile(file))(t)
	if string(before) == now {
		return
	}
	was, is := strings.Split(string(before), "\n"), strings.Split(now, "\n")
	check.That(t, was[0] != is[0] || was[1] != is[1],
		"the same evidence gives other records: set share.Rules to the next version")
	t.Errorf("%s is out of date: go test ./forensics/share -run TestRules -update", file)
}

// Other evidence than was planned is refused: longer, or of the same size.
func TestOtherThanPlanned(t *testing.T) {
	dir, root := written(t)
	path := filepath.Join(dir, fleet.Journal("mesh-oslo-1"))
	doc := must.Get(os.ReadFile(path))(t)
	p := must.Get(plan.Make(t.Context(), []string{path},
		plan.Options{Shares: 2, Ingest: ingest.Options{Read: read.Options{}}}, nil))(t)
	altered := bytes.Clone(doc)
	altered[len(altered)-10] ^= 1
	for _, now := range [][]byte{append(bytes.Clone(doc), doc...), altered} {
		must.Do(t, os.WriteFile(path, now, 0o600))
		refused := false
		for i := range 2 {
			s, err := share.ReadPlanned(t.Context(), share.Planned{Plan: p, Index: i}, root, share.Options{})
			var other *ingest.Other
			if errors.As(err, &other) {
				refused = true
			} else if err != nil {
				t.Error(err)
			} else if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		check.That(t, refused, "other evidence was read")
	}
	if _, err := share.ReadPlanned(t.Context(), share.Planned{Plan: p, Index: 2}, root, share.Options{}); err == nil {
		t.Error("a share was read that is not in the plan")
	}
}

package share_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/harness/fleet"
)

// unplanned is a content as if no plan had been there.
type unplanned struct{ part.Content }

func (u unplanned) Header() part.Header {
	h := u.Content.Header()
	h.Plan = chain.Hash{}
	return h
}

// The shares of a plan, joined, are what one worker reads of everything.
func TestPlanned(t *testing.T) {
	dir, root := written(t)
	if err := os.Symlink(os.DevNull, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	want := partOf(t, []string{dir}, root, share.Options{})
	for _, n := range []int{1, 5, 40} {
		p, err := plan.Make(t.Context(), []string{dir}, plan.Options{Shares: n, Least: 2000}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n == 40 && !isCut(p) {
			t.Error("no source was cut")
		}
		var all []part.Content
		for i := range n {
			s, err := share.ReadPlanned(t.Context(), share.Planned{Plan: p, SHA256: chain.Hash{1}, Index: i},
				root, share.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			all = append(all, s)
		}
		joined, err := part.Merge(all...)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := part.Write(t.Context(), &b, unplanned{joined}, nil); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%d shares, joined, are not what one worker reads", n)
		}
	}
}

func isCut(p *plan.Plan) bool {
	for _, s := range p.Sources {
		if len(s.Ranges) > 1 {
			return true
		}
	}
	return false
}

// Other evidence than was planned is refused: longer, or of the same size.
func TestOtherThanPlanned(t *testing.T) {
	dir := t.TempDir()
	_, root := written(t)
	e := fleettest.Evidence(t, fleet.Scene)
	if err := e.Write(dir, fleet.Journal("mesh-oslo-1")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, fleet.Journal("mesh-oslo-1"))
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(t.Context(), []string{path},
		plan.Options{Shares: 2, Ingest: ingest.Options{Read: read.Options{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	altered := bytes.Clone(doc)
	altered[len(altered)-10] ^= 1
	for _, now := range [][]byte{append(bytes.Clone(doc), doc...), altered} {
		if err := os.WriteFile(path, now, 0o600); err != nil {
			t.Fatal(err)
		}
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
		if !refused {
			t.Error("other evidence was read")
		}
	}
	if _, err := share.ReadPlanned(t.Context(), share.Planned{Plan: p, Index: 2}, root, share.Options{}); err == nil {
		t.Error("a share was read that is not in the plan")
	}
}

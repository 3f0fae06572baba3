package partcheck

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/internal/must"
)

// division is evidence in shares: by a plan, or nil.
type division struct {
	*plan.Plan
	digest chain.Hash
	atoms  []atom
}

// cuts reports whether the plan cuts a file.
func (d division) cuts() bool {
	return slices.ContainsFunc(d.Sources, func(s plan.Source) bool { return len(s.Ranges) > 1 })
}

// atom is a part, with what it is called in a failure.
type atom struct {
	part.Content
	name string
}

// divide reads the evidence in shares: as one, by the paths that are given, and each
// file by itself.
func divide(t *testing.T, l *laid, prefix string) []division {
	t.Helper()
	read := func(name string, paths ...string) atom {
		s, err := share.Read(t.Context(), paths, l.root, share.Options{Options: l.how(), Dir: t.TempDir()})
		return taken(t, prefix+name, s, err)
	}
	all := []division{{atoms: []atom{read("all", l.paths...)}}, {}, {}}
	for _, path := range l.paths {
		all[1].atoms = append(all[1].atoms, read(filepath.Base(path), path))
	}
	for _, set := range sets(files(l.paths)) {
		all[2].atoms = append(all[2].atoms, read(filepath.Base(set[0]), set...))
	}
	return slices.DeleteFunc(all, func(d division) bool { return d.atoms == nil })
}

// sets puts together files whose names differ in the end alone: volumes of one file are
// one source only where they are given together.
func sets(paths []string) (all [][]string) {
	at := map[string]int{}
	for _, path := range paths {
		stem := path[:len(path)-len(filepath.Ext(path))]
		i, known := at[stem]
		if !known {
			i, all = len(all), append(all, nil)
			at[stem] = i
		}
		all[i] = append(all[i], path)
	}
	return all
}

// taken returns what is read from the part of a share.
func taken(t *testing.T, name string, s *share.Share, err error) atom {
	t.Helper()
	must.OK(t, err, "%s", name)
	defer s.Close()
	return atom{opened(t, document(t, s)), name}
}

// files returns the regular files under paths, each by itself; nil if there is anything
// else, which only a reading of the whole folder refuses.
func files(paths []string) (all []string) {
	regular := true
	for _, path := range paths {
		err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				all = append(all, path)
				regular = regular && d.Type().IsRegular()
			}
			return err
		})
		if os.IsNotExist(err) {
			all, err = append(all, path), nil
		}
		regular = regular && err == nil
	}
	if !regular {
		return nil
	}
	return all
}

// planned reads the evidence by plans that cut it into few and into many shares.
func planned(t *testing.T, l *laid, r *rand.Rand) (all []division) {
	t.Helper()
	if l.again != nil || l.unit != 0 || len(l.paths) == 0 {
		return nil // one plan is of one moment, and has no limits
	}
	most := int64(8000)
	if l.cut {
		most = 1000
	}
	for _, shares := range []int{1 + r.IntN(6), 7 + r.IntN(30)} {
		p := must.Get(plan.Make(t.Context(), l.paths,
			plan.Options{Shares: shares, Ingest: l.how(), Least: 1 + r.Int64N(most)}, nil))(t)
		doc := must.Get(p.Document())(t)
		d := division{Plan: p, digest: plan.Digest(doc)}
		for i := range shares {
			s, err := share.ReadPlanned(t.Context(), share.Planned{Plan: p, SHA256: d.digest, Index: i}, l.root,
				share.Options{Options: l.how(), Dir: t.TempDir()})
			d.atoms = append(d.atoms, taken(t, fmt.Sprint(i, "/", shares), s, err))
		}
		all = append(all, d)
	}
	return all
}

// unplanned is a part as if it had been made without a plan.
type unplanned struct{ part.Content }

func (u unplanned) Header() part.Header {
	h := u.Content.Header()
	h.Plan = chain.Hash{}
	return h
}

package conclude_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/fleet"
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

// atom is a part, with its name in failures.
type atom struct {
	part.Content
	name string
}

// way is a way to divide evidence.
type way int

const (
	byPath    way = iota // each path that is given by itself
	byFile               // each file by itself
	fewShares            // by a plan
	manyShares
)

// ways are the ways in which the evidence can be divided. A plan is of one moment, and has no
// limits; only one of many shares cuts every file.
func (l *laid) ways() []way {
	switch {
	case len(l.paths) == 0:
		return nil
	case l.cut:
		return []way{manyShares}
	}
	all := []way{byPath}
	if files(l.paths) != nil {
		all = append(all, byFile)
	}
	if l.again != nil || l.unit != 0 {
		return all
	}
	return append(all, fewShares, manyShares)
}

// divide reads the evidence as one, and then in each of the ways that needs no plan.
func divide(t *testing.T, l *laid, prefix string, ways []way) []division {
	t.Helper()
	read := func(name string, paths ...string) atom {
		s, err := share.Read(t.Context(), paths, l.root, share.Options{Options: l.how(), Dir: t.TempDir()})
		return taken(t, prefix+name, s, err)
	}
	all := []division{{atoms: []atom{read("all", l.paths...)}}}
	for _, w := range ways {
		var d division
		switch w {
		case byPath:
			for _, path := range l.paths {
				d.atoms = append(d.atoms, read(filepath.Base(path), path))
			}
		case byFile:
			for _, set := range sets(files(l.paths)) {
				d.atoms = append(d.atoms, read(filepath.Base(set[0]), set...))
			}
		default:
			continue
		}
		all = append(all, d)
	}
	return all
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

// taken returns the content of a share's part.
func taken(t *testing.T, name string, s *share.Share, err error) atom {
	t.Helper()
	must.OK(t, err, "%s", name)
	defer s.Close()
	return atom{must.Get(part.Merge(opened(t, document(t, s))))(t), name}
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

// planned reads the evidence by a plan of each of the ways that needs one.
func planned(t *testing.T, l *laid, r *rand.Rand, ways []way) (all []division) {
	t.Helper()
	most := int64(8000)
	if l.cut {
		most = 1000
	}
	for _, w := range ways {
		shares := 1 + r.IntN(6)
		switch w {
		case byPath, byFile:
			continue
		case manyShares:
			shares = 7 + r.IntN(30)
		case fewShares:
		}
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

// near is something that is in a file and may not be cut as if it were a line of it.
type near struct {
	name string
	of   func(line string) string // the text in place of a line
}

// nears are a line over several lines, text that belongs to the line behind it, text that
// needs the lines before it, and text that shares a bound with others of its kind.
var nears = []near{
	{"whole", func(line string) string { return line }},
	{"over several lines", func(line string) string { return strings.ReplaceAll(line, `,"`, ",\n\"") }},
	{"a header", func(line string) string { return "time,message\n" + line }},
	{"an action", func(line string) string {
		return `{"index":{"_id":"` + strings.Repeat("x", 300) + `"}}` + "\n" +
			line
	}},
	{"an open line", func(line string) string {
		return `{"log":"` + strings.Repeat("x", 300) + `","stream":"stdout","time":"2026-03-02T09:00:00Z"}` + "\n" + line
	}},
	{"two on a line", func(line string) string { return strings.TrimRight(line, "\r\n") + line }},
	{"many short lines", func(line string) string { return line + strings.Repeat("{\"a\":1}\n?\n", 2000) }},
	{"torn", func(line string) string { return line[:len(line)/2] + "\n" + line }},
}

// cut are the scenes of a journal in every format that a plan cuts.
func cut(t *testing.T) (all []scene) {
	t.Helper()
	for _, f := range dumps.Formats() {
		if !f.Reads.IsCut() || !f.Lines {
			continue
		}
		for i, n := range nears {
			name := fmt.Sprint(f.Name, ", ", n.name)
			all = append(all, scene{name, func(t *testing.T, dir string) *laid { return layCut(t, f, i, dir) }})
		}
	}
	return all
}

// layCut writes a journal in a format, with something near a line in the midst of it, and
// once more with other line ends and in the other order.
func layCut(t *testing.T, f dumps.Format, i int, dir string) *laid {
	t.Helper()
	lines, batch, cursor, root, err := cases.Lines()
	must.Do(t, err)
	var written []string
	for n := 0; n < len(lines); n += 2 {
		o := dumps.Options{Structured: f.Text == 0, Batches: []string{batch, fmt.Sprintf("%064x", n)}}
		if o.Where = read.InRecord; i%2 == 0 && f.Resource {
			o.Where = read.InResource
		}
		written = append(written, strings.SplitAfter(string(f.Write(lines[n:n+2], o)), "\n")...)
	}
	written = slices.DeleteFunc(written, func(line string) bool { return len(line) < 256 }) // the end of an export
	half := len(written) / 2
	midst := nears[i].of(written[half])
	file := strings.Join(written[:half], "") + midst + strings.Join(written[half+1:], "")
	again := strings.ReplaceAll(strings.Join(written[half+1:], "")+strings.Join(written[:half], ""), "\n", "\r\n")
	e := &fleet.Evidence{Files: map[string]fleet.File{"cursors.ndjson": fleet.Bytes(cursor),
		"handed/a": fleet.Bytes([]byte(file)), "handed/b": fleet.Bytes(bytes.TrimPrefix([]byte(again), []byte("\r\n")))}}
	must.Do(t, e.Write(dir))
	return &laid{root: root, paths: []string{filepath.Join(dir, "cursors.ndjson"), filepath.Join(dir, "handed")},
		cut: true}
}

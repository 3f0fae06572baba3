package entry

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// counting is a reader that counts the bytes that are read from it.
type counting struct {
	r *strings.Reader
	n int
}

// Read implements io.Reader.
func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// TestWork reads a stream once, and makes no more allocations for each entry of many
// than for each of few.
func TestWork(t *testing.T) {
	for name, make := range map[string]func(n int) string{
		"tar": func(n int) string { return must.Tar(manyMembers(n)...) },
		"zip": func(n int) string { return must.Zip(8, manyMembers(n)...) },
		"zip with members of one name": func(n int) string {
			return zipOfSame(t, must.Zip(8, "a", "{}"), n)
		},
		"lines": func(n int) string { return strings.Repeat("{}\n", n) },
	} {
		few, many := 500, 2000
		cost := map[int]float64{}
		for _, n := range []int{few, many} {
			data := make(n)
			cost[n] = testing.AllocsPerRun(1, func() {
				in := &counting{r: strings.NewReader(data)}
				set := must.Get(New(Source{Paths: []string{Stdin}, Stdin: in}))(t)
				found := 0
				must.Do(t, set.Walk(t.Context(), func(Entry) error { found++; return nil }))
				if found != n || in.n != len(data) {
					t.Errorf("%s: found %d of %d entries in %d of %d octets", name, found, n, in.n, len(data))
				}
			}) / float64(n)
		}
		check.That(t, cost[many] <= 1.1*cost[few],
			"%s: %.1f allocations for each of %d entries, and %.1f for each of %d", name, cost[few], few, cost[many], many)
	}
}

func manyMembers(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint("d/", i), "{}")
	}
	return all
}

// TestAgainInOrder goes through a file once for entries in its order: it can be gone
// after the first one, and is missed only by one that comes before.
func TestAgainInOrder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t")
	must.WriteFiles(t, dir, map[string]string{"t": must.Tar(manyMembers(5)...)})
	set := must.Get(New(Source{Paths: []string{path}}))(t)
	defer set.Close()
	var refs []Ref
	must.Do(t, set.Walk(t.Context(), func(e Entry) error { refs = append(refs, e.Ref); return nil }))
	for i, ref := range refs {
		check.Do(t, check.Err(set.Again(t.Context(), ref)))
		if i == 0 && os.Remove(path) != nil {
			return // a file in use stays on this system
		}
	}
	_, err := set.Again(t.Context(), refs[2])
	check.That(t, err != nil, "found an entry of a file that is gone")
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestFullDisk ends a walk whose copy of standard input has no room: it is no fault of
// an entry.
func TestFullDisk(t *testing.T) {
	w := &walk{ctx: t.Context(), source: &Source{Stdin: strings.NewReader("{}\n{}")}, counts: &Counts{}, names: newNames(),
		yield: func(e Entry) error { t.Errorf("found %+v", e); return nil },
		keep:  func(r io.Reader) (io.Reader, error) { return io.TeeReader(r, &kept{full{}}), nil }}
	if err := w.stdin(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "a temporary file") {
		t.Errorf("expected that there is no room, found %v", err)
	}
}

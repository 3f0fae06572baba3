package read_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// account contains the units that a reader consumed, next to its reports.
type account struct {
	Found
	units map[string][]span
}

type span struct{ from, to int64 }

func follow(r io.Reader, o read.Options) (*account, error) {
	a := &account{units: make(map[string][]span)}
	err := read.ReadUnits(context.Background(), r, o, &a.Found, func(container string, from, to int64) {
		a.units[container] = append(a.units[container], span{from, to})
	})
	return a, err
}

// check is the oracle of "nothing vanishes": the units tile the dump except for separators
// between values, and in each unit something was reported.
func (a *account) check(dump []byte) error {
	slices.SortFunc(a.units[""], func(a, b span) int { return int(a.from - b.from) })
	at := int64(0)
	for _, u := range a.units[""] {
		if u.from > at {
			if rest := strings.Trim(string(dump[at:u.from]), " \t\r\n[],\x1e\ufeff"); rest != "" {
				return fmt.Errorf("bytes %d to %d are in no unit: %.60q", at, u.from, rest)
			}
		}
		if u.to > at {
			at = u.to
		}
	}
	if rest := strings.Trim(string(dump[at:]), " \t\r\n[],\x1e\ufeff"); rest != "" {
		return fmt.Errorf("bytes from %d to the end are in no unit: %.60q", at, rest)
	}
	return a.checkUnits(dump)
}

func (a *account) checkUnits(dump []byte) error {
	reported := make(map[string][]span)
	for _, r := range a.Records {
		reported[r.Place.Container] = append(reported[r.Place.Container],
			span{r.Place.Offset, r.Place.Offset + r.Place.Length})
	}
	for _, s := range a.Skips {
		reported[s.Place.Container] = append(reported[s.Place.Container],
			span{s.Place.Offset, s.Place.Offset + s.Place.Length})
	}
	for container, units := range a.units {
		for _, u := range units {
			if container == "" && reportsNothing(dump[u.from:u.to]) {
				continue
			}
			if !touched(reported[container], u) && !inside(reported, container) {
				return fmt.Errorf("nothing was reported of %q %v", container, u)
			}
		}
	}
	return nil
}

// reportsNothing reports whether a unit is of a kind that nothing is reported of.
func reportsNothing(b []byte) bool { return isBulkAction(b) || isBlank(b) || read.IsFolder(b) }

func isBulkAction(b []byte) bool {
	return bytes.HasPrefix(b, []byte(`{"create":{`)) || bytes.HasPrefix(b, []byte(`{"index":{`))
}

func isBlank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }

func touched(reports []span, u span) bool {
	return slices.ContainsFunc(reports, func(r span) bool { return r.from <= u.to && r.to >= u.from })
}

// inside reports whether something was reported of the content decoded out of a stream.
func inside(reported map[string][]span, container string) bool {
	for other := range reported {
		if other != container && (container == "" || strings.HasPrefix(other, container+"!")) {
			return true
		}
	}
	return false
}

// sound fails the test unless everything is accounted for.
func sound(t must.T, dump []byte, o read.Options) *account {
	a, err := follow(bytes.NewReader(dump), o)
	if err == nil {
		err = a.check(dump)
	}
	if err == nil {
		err = noFault(&a.Found)
	}
	must.That(t, err == nil, "%v\ndump: %.2000q\nskips: %+v", err, dump, a.Skips)
	return a
}

// noFault returns an error if a fault of the program stopped the reading.
func noFault(found *Found) error {
	for _, s := range found.Skips {
		if strings.Contains(s.Detail, "a fault of svc-verify") {
			return errors.New(s.Detail)
		}
	}
	return nil
}

// Of every prefix of every dump, the records that are whole in it come out, and a cut anywhere
// but behind a record is reported.
func TestEveryPrefix(t *testing.T) {
	bodies := dumps.Bodies(3)
	forms(t, func(t *testing.T, f dumps.Format, o dumps.Options, _ read.Fidelity) {
		o.Size, o.Batches = 2, []string{batchID}
		dump := f.Write(bodies, o)
		full := sound(t, dump, read.Options{}).Bodies()
		for n := 0; n < len(dump); n += 1 + n/chance.Sized(60, 5) {
			a := sound(t, dump[:n], read.Options{})
			got := a.Bodies()
			between := len(got) == 2 && bytes.Equal(bytes.TrimSpace(dump[:n]), bytes.TrimSpace(f.Write(bodies[:2], o))) ||
				n > 1 && bytes.ContainsAny(dump[n-2:n], "\n}")
			must.That(t, len(got) <= len(full), "%d records in the first %d bytes", len(got), n)
			for i := range got {
				must.That(t, bytes.Equal(got[i], full[i]), "first %d bytes: body %d is %q", n, i, got[i])
			}
			must.That(t, len(a.Skips) != 0 || len(got) >= len(full) || between,
				"first %d of %d bytes: %d of %d records, and no skip", n, len(dump), len(got), len(full))
		}
	})
}

// Whole lines in a prefix give their records.
func TestLinesBeforeTheCut(t *testing.T) {
	bodies := dumps.Bodies(8)
	forms(t, func(t *testing.T, f dumps.Format, o dumps.Options, _ read.Fidelity) {
		if !f.Lines || f.Name == "splunk-export" {
			return // the records are not lines
		}
		o.Size = 1
		dump := f.Write(bodies, o)
		for n := 1; n < len(dump); n += chance.Sized(97, 997) {
			whole := bytes.Count(dump[:n], []byte("\n"))
			got := len(sound(t, dump[:n], read.Options{}).Records)
			must.That(t, got == whole || got == whole+1, "first %d bytes: %d records, want %d", n, got, whole)
		}
	})
}

// The result does not depend on how the bytes arrive. With -short each form is tried in one
// way, whole, cut, or both.
func TestChunksMakeNoDifference(t *testing.T) {
	bodies, tried := dumps.Bodies(6), 0
	forms(t, func(t *testing.T, f dumps.Format, o dumps.Options, _ read.Fidelity) {
		o.Size = 4
		dump := f.Write(bodies, o)
		for _, d := range [][]byte{dump, dump[:len(dump)*3/4]} {
			if tried++; testing.Short() && tried%4 == 0 {
				continue
			}
			want := valueAt(t, d, read.Options{})
			for i, r := range []io.Reader{
				iotest.OneByteReader(bytes.NewReader(d)),
				iotest.HalfReader(bytes.NewReader(d)),
				iotest.DataErrReader(bytes.NewReader(d)),
				&randomChunks{b: d, r: rand.New(rand.NewPCG(1, 2))},
			} {
				if testing.Short() && i != tried%4 {
					continue
				}
				got := must.Get(Find(r, read.Options{}))(t)
				diff := cmp.Diff(want, got)
				check.That(t, diff == "", "%T: %s", r, diff)
			}
		}
	})
}

type randomChunks struct {
	b []byte
	r *rand.Rand
}

func (c *randomChunks) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.b[:min(len(c.b), c.r.IntN(200))]) // sometimes nothing
	c.b = c.b[n:]
	return n, nil
}

// After any damage to a dump, all of it is accounted for. In formats with independent records,
// the undamaged ones come out.
func TestDamage(t *testing.T) {
	formats := dumps.Formats()
	bodies := dumps.Bodies(9)
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(formats).Draw(t, "format")
		o := dumps.Options{Size: rapid.IntRange(1, 9).Draw(t, "size")}
		if o.Structured = f.Structure != 0; o.Structured && f.Text != 0 {
			o.Structured = rapid.Bool().Draw(t, "structured")
		}
		dump := damaged(t, f.Write(bodies, o))
		a := sound(t, dump, read.Options{})
		again, err := Find(&randomChunks{b: dump, r: rand.New(rand.NewPCG(3, 4))}, read.Options{})
		diff := cmp.Diff(&a.Found, again)
		must.That(t, err == nil && diff == "", "in chunks: %v %s", err, diff)
	})
}

// damaged changes, removes, repeats or inserts bytes.
func damaged(t *rapid.T, dump []byte) []byte {
	for range rapid.IntRange(1, 3).Draw(t, "damages") {
		from := rapid.IntRange(0, len(dump)).Draw(t, "from")
		to := min(len(dump), from+rapid.SampledFrom([]int{0, 1, 4, 50, 1000}).Draw(t, "length"))
		part := dump[from:to]
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			part = nil
		case 1:
			part = slices.Concat(part, part)
		case 2:
			part = rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(t, "bytes")
		case 3:
			part = bytes.Repeat([]byte{rapid.SampledFrom([]byte("\x00\n\"\\{}[],x\xff")).Draw(t, "byte")}, len(part))
		}
		dump = slices.Concat(dump[:from], part, dump[to:])
	}
	return dump
}

// isPart reports whether all of part are among whole, in its order.
func isPart(part, whole [][]byte) bool {
	for _, b := range whole {
		if len(part) > 0 && bytes.Equal(part[0], b) {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// One damaged line costs one record.
func TestOneLineOfMany(t *testing.T) {
	bodies, tried := dumps.Bodies(9), 0
	forms(t, func(t *testing.T, f dumps.Format, o dumps.Options, _ read.Fidelity) {
		if !f.Lines || f.Name == "splunk-export" {
			return // the records are not lines
		}
		o.Size = 1
		lines := bytes.SplitAfter(f.Write(bodies, o), []byte("\n"))
		full := valueAt(t, bytes.Join(lines, nil), read.Options{}).Bodies()
		for name, damage := range map[string]func([]byte) []byte{
			"no end":       func(b []byte) []byte { return append(bytes.Clone(b[:len(b)/2]), '\n') },
			"no end or LF": func(b []byte) []byte { return b[:len(b)/2] },
			"no beginning": func(b []byte) []byte { return b[len(b)/2:] },
			"no bracket":   func(b []byte) []byte { return bytes.Replace(b, []byte("}\n"), []byte("\n"), 1) },
			"zeros":        func(b []byte) []byte { return append(make([]byte, len(b)), '\n') },
			"noise":        func([]byte) []byte { return []byte("2026-03-02 starting up\n") },
		} {
			if tried++; tried%chance.Sized(1, 5) != 0 {
				continue
			}
			damagedLines := slices.Clone(lines)
			damagedLines[4] = damage(lines[4])
			dump := bytes.Join(damagedLines, nil)
			got := sound(t, dump, read.Options{}).Bodies()
			want := slices.Delete(slices.Clone(full), 4, 5)
			if name == "no bracket" || name == "no end or LF" {
				// The line that follows is joined to it. An event that is in
				// both as it is comes out all the same.
				joined := slices.Delete(slices.Clone(full), 4, 6)
				check.That(t, isPart(joined, got) && isPart(got, full),
					"%s: %d bodies, or others", name, len(got))
				continue
			}
			diff := cmp.Diff(want, got)
			check.That(t, diff == "", "%s: %d bodies, want %d\n%.500s", name, len(got), len(want), diff)
		}
	})
}

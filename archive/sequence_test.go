package archive_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/harness/archives"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// rows reads the ledger.
func (b *damaged) rows(t testing.TB) map[string]ledger.Object {
	t.Helper()
	l := must.Get(ledger.Open(t.Context(), b.ledger, ledger.Secret{1}))(t)
	defer l.Close()
	rows := map[string]ledger.Object{}
	for o, err := range l.Objects(t.Context()) {
		must.Do(t, err)
		rows[o.Path] = *o
	}
	return rows
}

// spend lets a check do so much before its budget is spent: time passes only when
// it is asked for.
func spend(asked int) func(*archive.Options) {
	return func(o *archive.Options) {
		var now atomic.Int64
		o.Elapsed = func() time.Duration { return time.Duration(now.Add(1)) }
		o.Budget = time.Duration(asked)
		o.Workers = 1
	}
}

// TestBudgets: checks with a budget read new objects first and then those that were
// not read for longest, so that a sequence of them reads everything.
func TestBudgets(t *testing.T) {
	b := newDamaged(t)
	s := chance.New(7).Stream("budgets")
	b.fill(t, b.Quiet(s, 120))
	b.check(t, nil)
	start := b.now.UnixMilli()
	for n := range 40 {
		tree := b.tree.Clone()
		fresh := fmt.Sprintf("new-%02d.txt", n)
		tree[fresh] = archives.File{Octets: []byte(fresh), Modified: b.now}
		b.fill(t, tree)
		before := b.rows(t)
		r := b.check(t, spend(40))
		after := b.rows(t)
		must.That(t, after[fresh].ReadAt == b.now.UnixMilli(), "run %d does not read what is new", n)
		must.That(t, r.Counts.Read != r.Counts.Objects && r.Counts.Read >= 2, "run %d reads %d of %d objects", n,
			r.Counts.Read, r.Counts.Objects)
		newest, oldest := int64(0), b.now.UnixMilli()
		for path, was := range before {
			if after[path].ReadAt == b.now.UnixMilli() {
				newest = max(newest, was.ReadAt)
			} else {
				oldest = min(oldest, was.ReadAt)
			}
		}
		must.That(t, newest <= oldest, "run %d reads an object of %d, and leaves one of %d", n, newest, oldest)
		if oldest > start {
			return
		}
	}
	t.Error("40 runs did not read everything")
}

// interrupt begins a check that ends before its record is written, as a kill does, and
// has read a part of the objects.
func (b *damaged) interrupt(t *testing.T) {
	t.Helper()
	b.now = b.now.Add(24 * time.Hour)
	w := must.Get(ledger.OpenWrite(t.Context(), b.ledger, ledger.Secret{1}))(t)
	o := archive.Options{Dir: b.dir, Judge: b.judge, Tool: "no record\n", At: b.now, Fixed: true,
		TempDir: filepath.Dir(b.dir)}
	spend(25)(&o)
	r, err := archive.Check(t.Context(), w, o)
	must.That(t, err != nil, "the check was not interrupted: %+v", r)
	must.Do(t, w.Close())
}

// TestGoingOn: a check that continues an interrupted one does not read again what that
// one had read, unless it must, and its record is that of all objects.
func TestGoingOn(t *testing.T) {
	b := newDamaged(t)
	b.fill(t, b.Quiet(chance.New(10).Stream("going on"), 60))
	b.interrupt(t)
	before, then := b.rows(t), b.now.UnixMilli()
	must.That(t, len(before) >= 2 && len(before) <= 50, "%d rows after the interruption", len(before))
	tree, touched := b.tree.Clone(), ""
	for path := range before {
		touched = path
	}
	f := tree[touched]
	f.Modified = f.Modified.Add(time.Hour)
	tree[touched] = f
	b.fill(t, tree)
	r := b.check(t, nil)
	c := r.Counts
	check.That(t, c.Classes[archive.Added] == 59 && c.Classes[archive.Intact] == 1 && c.Read == 60, "%+v", c)
	for path, row := range b.rows(t) {
		_, read := before[path]
		again := row.ReadAt != then
		check.That(t, again != (read && path != touched), "%q: read before %v, and again %v", path, read, again)
	}
	b.check(t, nil)
	for path, row := range b.rows(t) {
		check.That(t, row.ReadAt == b.now.UnixMilli(), "%q is not read by the next check", path)
	}

	// Under another trust file, all is verified again; and what is too old is read again.
	for what, change := range map[string]func(*archive.Options){
		"trust file": nil,
		"age":        func(o *archive.Options) { o.MaxAge = time.Hour },
	} {
		b.interrupt(t)
		if what == "trust file" {
			b.believe(t, b.Less)
		}
		b.check(t, change)
		for path, row := range b.rows(t) {
			check.That(t, row.ReadAt == b.now.UnixMilli(), "%s: %q is not read again", what, path)
		}
	}
}

// TestSamples: a sample is drawn by its seed, and what is new or failed is read
// whatever the sample is.
func TestSamples(t *testing.T) {
	b := newDamaged(t)
	s := chance.New(8).Stream("samples")
	b.fill(t, b.Quiet(s, 60))
	b.check(t, nil)
	drawn := map[string]int{}
	for n := range 14 {
		tree := b.tree.Clone()
		fresh := fmt.Sprintf("new-%02d.txt", n)
		tree[fresh] = archives.File{Octets: []byte("new"), Modified: b.now}
		b.fill(t, tree)
		known := len(b.rows(t))
		r := b.check(t, func(o *archive.Options) { o.Sample, o.Seed = archive.PartsOfAll/2, fmt.Sprint(n) })
		want := int64((known+1)/2 + 1)
		check.That(t, r.Counts.Read == want, "%d of %d objects are read, want %d", r.Counts.Read, known+1, want)
		for path, row := range b.rows(t) {
			if row.ReadAt == b.now.UnixMilli() {
				drawn[path]++
			}
		}
		must.That(t, drawn[fresh] == 1, "run %d does not read what is new", n)
	}
	for path := range b.tree {
		check.That(t, drawn[path] != 0, "%q was in none of 14 samples", path)
	}
}

// TestSameBytes: the same archive, ledger, time and seed come to the same record,
// however many workers there are.
func TestSameBytes(t *testing.T) {
	for n := range uint64(2) {
		b := newDamaged(t)
		s := chance.New(n).Stream("same bytes")
		b.fill(t, b.Archive(s, 40))
		b.check(t, nil)
		tree := b.tree.Clone()
		for range 5 {
			all := allDamages()
			all[s.Below(len(all))].Do(b.Pool, s, tree)
		}
		b.fill(t, tree)
		was := must.Get(os.ReadFile(b.ledger))(t)
		digest := ""
		for i, change := range []func(*archive.Options){
			func(o *archive.Options) { o.Workers = 1 }, func(o *archive.Options) { o.Workers = 4 },
		} {
			must.Do(t, os.WriteFile(b.ledger, was, 0o600))
			r := b.checkWith(t, b.ledger, func(o *archive.Options) {
				change(o)
				o.Sample, o.Seed = archive.PartsOfAll/2, "seed"
			})
			if r.Run == nil {
				break // most of it is gone
			}
			check.That(t, i == 0 || r.Run.Digest == digest, "archive %d: %s with one worker, %s with four", n, digest,
				r.Run.Digest)
			digest = r.Run.Digest
		}
	}
}

// TestNothingIsWritten: a check writes nothing below the folder, and changes no time.
func TestNothingIsWritten(t *testing.T) {
	b := newDamaged(t)
	b.fill(t, b.Archive(chance.New(9).Stream("nothing"), 40))
	before := must.Get(os.Stat(b.dir))(t)
	b.check(t, nil)
	b.check(t, nil)
	if after, err := os.Stat(b.dir); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the folder was written to: %v", err)
	}
	for path, f := range b.tree {
		if !f.Regular() {
			continue
		}
		name := b.dir + "/" + path
		got, err := os.ReadFile(name)
		info, err2 := os.Stat(name)
		check.That(t, err == nil && err2 == nil && bytes.Equal(got, f.Octets) && info.ModTime().Equal(f.Modified),
			"%s was changed: %v, %v", object.PathText(path), err, err2)
	}
}

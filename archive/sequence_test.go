package archive_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
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

// spend lets a check do so much before its budget is spent: time passes only when it is read.
func spend(asked int) func(*archive.Options) {
	return func(o *archive.Options) {
		var now atomic.Int64
		o.Elapsed = func() time.Duration { return time.Duration(now.Add(1)) }
		o.Budget = time.Duration(asked)
		o.Workers = 1
	}
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

// TestGoingOn: a check that continues an interrupted one repeats none of its readings, unless
// it must, and has a record of all objects.
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
	check.That(t, strings.Contains(strings.Join(r.NotExamined, " "), "was interrupted: this one continues it") &&
		r.Run.Number == 1, "%+v, %v", r.Run, r.NotExamined)
	c := r.Counts
	check.That(t, c.Classes[archive.Added] == 59 && c.Classes[archive.Intact] == 1 && c.Read == 60, "%+v", c)
	for path, row := range b.rows(t) {
		_, read := before[path]
		again := row.ReadAt != then
		check.That(t, again != (read && path != touched), "%q: read before %v, and again %v", path, read, again)
	}
	r = b.check(t, nil)
	check.That(t, !strings.Contains(strings.Join(r.NotExamined, " "), "interrupted"), "%v", r.NotExamined)
	for path, row := range b.rows(t) {
		check.That(t, row.ReadAt == b.now.UnixMilli(), "%q is not read by the next check", path)
	}

	// Under another trust file, all objects are verified again. Objects whose reading is too
	// old are read again.
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

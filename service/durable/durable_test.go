package durable

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("DURABLE_CHILD"); dir != "" {
		child(dir)
	}
	os.Exit(m.Run())
}

func event(n int64) seal.Object {
	return seal.Object{"body": seal.Object{"sequence": n, "data": seal.Object{"text": strings.Repeat("x", int(n%700))}}}
}

func dir(t *testing.T) string {
	t.Helper()
	d := filepath.Join(t.TempDir(), "state")
	must.Do(t, os.Mkdir(d, 0o700))
	return d
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s := must.Get(Open(dir, "journal"))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

// append adds the next event and a document that counts them.
func (s *Store) appendNext() error {
	last, err := s.Sequence()
	if err != nil {
		return err
	}
	n := int64(last) + 1
	return s.Update(func(t *Tx) error {
		if err := t.Append(event(n)); err != nil {
			return err
		}
		return t.Put("counter", "events", seal.Object{"n": n})
	})
}

func TestAllOrNothing(t *testing.T) {
	s := open(t, dir(t))
	refused := errors.New("refused")
	err := s.Update(func(t *Tx) error {
		if err := errors.Join(t.Put("a", "1", seal.Object{"x": int64(1)}), t.Append(event(1))); err != nil {
			return err
		}
		return refused
	})
	must.That(t, errors.Is(err, refused), "%v", err)
	document, err := s.Get("a", "1")
	sequence, _ := s.Sequence()
	check.That(t, document == nil && err == nil && sequence == 0, "%v, %v, sequence %d", document, err, sequence)
	b, _ := os.ReadFile(s.log.Name())
	check.That(t, len(b) == 0, "the log's file holds %q", b)
}

func TestNoSequenceTwice(t *testing.T) {
	s := open(t, dir(t))
	for _, n := range []int64{0, 2} {
		check.That(t, s.Update(func(t *Tx) error { return t.Append(event(n)) }) != nil,
			"sequence %d was taken as the first", n)
	}
	must.Do(t, s.Update(func(t *Tx) error { return errors.Join(t.Append(event(1)), t.Append(event(2))) }))
	check.That(t, s.Update(func(t *Tx) error { return t.Append(event(2)) }) != nil, "sequence 2 was taken twice")
}

func TestDocuments(t *testing.T) {
	d := dir(t)
	s := open(t, d)
	must.Do(t, s.Update(func(t *Tx) error {
		for i := range 10 {
			if err := t.Put("a", fmt.Sprintf("%02d", i), seal.Object{"i": int64(i)}); err != nil {
				return err
			}
		}
		return errors.Join(t.Put("b", "05", seal.Object{}), t.Delete("a", "04"), t.Delete("a", "none"),
			t.DeleteThrough("a", "02"), t.Put("a", "09", seal.Object{"i": int64(90)}))
	}))
	s.Close()
	s = open(t, d)
	entries, err := s.List("a", "03", 4)
	got := fmt.Sprint(entries, err)
	check.That(t, got == "[{05 map[i:5]} {06 map[i:6]} {07 map[i:7]} {08 map[i:8]}] <nil>", "%v", got)
	all, _ := s.List("a", "", 100)
	check.That(t, len(all) == 6, "%d documents", len(all))
	if last, err := s.Get("a", "09"); seal.Integer(last, "i") != 90 {
		t.Errorf("%v, %v", last, err)
	}
}

// TestFileIsCompleted damages the end of the log's file in each way in which a
// crash can leave it.
func TestFileIsCompleted(t *testing.T) {
	d := dir(t)
	s := open(t, d)
	for range 700 {
		must.Do(t, s.appendNext())
	}
	s.Close()
	name := filepath.Join(d, "journal.ndjson")
	whole, err := os.ReadFile(name)
	must.That(t, err == nil && bytes.Count(whole, []byte("\n")) == 700, "%v", err)
	for _, cut := range []int{0, 1, len(whole) / 2, len(whole) - 1, len(whole) - 700, len(whole)} {
		must.Do(t, os.WriteFile(name, whole[:cut], 0o600))
		s := open(t, d)
		must.Do(t, s.Close())
		got, _ := os.ReadFile(name)
		check.That(t, bytes.Equal(got, whole), "cut at %d: %d of %d bytes", cut, len(got), len(whole))
	}
}

func TestOlderStoreIsRefused(t *testing.T) {
	d := dir(t)
	s := open(t, d)
	must.Do(t, s.appendNext())
	s.Close()
	f := must.Get(os.OpenFile(filepath.Join(d, "journal.ndjson"), os.O_APPEND|os.O_WRONLY, 0))(t)
	f.Write(seal.Line(event(2)))
	f.Close()
	if s, err := Open(d, "journal"); err == nil || !strings.Contains(err.Error(), "older state") {
		s.Close()
		t.Error("a store that forgot an event was opened")
	}
}

func TestOneHolder(t *testing.T) {
	d := dir(t)
	open(t, d)
	_, err := Open(d, "journal")
	check.That(t, errors.Is(err, ErrBusy), "%v", err)
}

func TestOwnersAlone(t *testing.T) {
	d := dir(t)
	if err := os.Chmod(d, 0o750); err != nil { //nolint:gosec // on purpose
		t.Fatal(err)
	}
	check.That(t, check.Err(Open(d, "journal")) != nil, "a directory that the group can read was taken")
	if err := os.Chmod(d, 0o700); err != nil { //nolint:gosec // a directory
		t.Fatal(err)
	}
	open(t, d)
	for _, name := range []string{"state.db", "journal.ndjson"} {
		if info, err := os.Stat(filepath.Join(d, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestManyGoroutines(t *testing.T) {
	s := open(t, dir(t))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 20 {
				check.Do(t, s.Update(func(t *Tx) error { return t.Put("a", fmt.Sprint(i, j), seal.Object{}) }))
				check.Do(t, check.Err(s.List("a", "", 1000)))
			}
		})
	}
	all.Wait()
	entries, _ := s.List("a", "", 1000)
	check.That(t, len(entries) == 160, "%d documents", len(entries))
}

// child appends for ever, and prints each sequence once it is durable.
func child(dir string) {
	s, err := Open(dir, "journal")
	for err == nil {
		if err = s.appendNext(); err == nil {
			n, _ := s.Sequence()
			fmt.Println(n)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestKill kills a process that appends: every event that it reported is there, and document,
// log and file agree.
func TestKill(t *testing.T) {
	d := dir(t)
	kills := 20
	if testing.Short() {
		kills = 5
	}
	for i := range kills {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), "DURABLE_CHILD="+d)
		var said bytes.Buffer
		command.Stdout = &said
		must.Do(t, command.Start())
		time.Sleep(time.Duration(50+13*i) * time.Millisecond) // any moment will do
		command.Process.Kill()
		command.Wait()
		s := open(t, d)
		have := must.Get(s.Sequence())(t)
		var last uint64
		for _, line := range strings.Fields(said.String()) {
			fmt.Sscan(line, &last)
		}
		counter, err := s.Get("counter", "events")
		check.That(t, err == nil && last <= have && (have == 0 || uint64(seal.Integer(counter, "n")) == have),
			"said %d, have %d, counter %v, %v", last, have, counter, err)
		s.Close()
		b, err := os.ReadFile(filepath.Join(d, "journal.ndjson"))
		if err != nil || uint64(bytes.Count(b, []byte("\n"))) != have || len(b) > 0 && b[len(b)-1] != '\n' {
			t.Errorf("the file has %d lines of %d, %v", bytes.Count(b, []byte("\n")), have, err)
		}
	}
}

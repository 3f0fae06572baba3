package confined

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// asked lets a child of a pool do something, and returns its last item.
func asked(t *testing.T, p *pool, format, what string) (Item, error) {
	t.Helper()
	j, err := p.open(t.Context(),
		Source{Format: format, Octets: strings.NewReader(what), Size: int64(len(what)), Members: 9})
	must.Do(t, err)
	defer j.Close()
	for {
		it, err := j.Next()
		if err != nil || it.Kind == Final {
			return it, err
		}
	}
}

// works fails the test unless a child of the pool reads a file.
func works(t *testing.T, p *pool) {
	t.Helper()
	it, err := asked(t, p, hostile, "work")
	check.That(t, err == nil && it.Status == Whole, "the pool does not go on: %+v %v", it, err)
}

func TestMain(m *testing.M) {
	code := m.Run()
	children.drain()
	os.Exit(code)
}

// drain ends the children that wait.
func (p *pool) drain() {
	p.Lock()
	idle := slices.Clone(p.idle)
	p.idle = nil
	p.Unlock()
	for _, w := range idle {
		w.endChild()
	}
}

// TestForbidden: a child can do nothing but read, compute and write.
func TestForbidden(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "victim"), nil, 0o600))
	for op := range forbidden {
		it, err := asked(t, &children, hostile, op+" "+dir)
		text := string(it.Text)
		refused := strings.Contains(text, syscall.EPERM.Error()) || strings.Contains(text, syscall.EACCES.Error())
		check.That(t, err == nil && it.Status == Damaged && refused, "%s: %q %c %v", op, text, it.Status, err)
	}
	entries := must.Get(os.ReadDir(dir))(t)
	check.That(t, len(entries) == 1 && entries[0].Name() == "victim", "%v", entries)
}

// TestRuntime: the wall lets the Go runtime do its work.
func TestRuntime(t *testing.T) {
	for range 3 {
		it, err := asked(t, &children, hostile, "busy")
		check.That(t, err == nil && it.Status == Whole, "%+v %v", it, err)
	}
}

// TestFailures: any failure of a child costs one file.
func TestFailures(t *testing.T) {
	for _, op := range []string{"exit", "deep", "memory", "garbage"} {
		it, err := asked(t, &children, hostile, op)
		check.That(t, errors.Is(err, errEnded), "%s: %+v %v", op, it, err)
		works(t, &children)
	}
	for _, op := range []string{"panic", "crash"} {
		it, err := asked(t, &children, hostile, op)
		check.That(t, err == nil && it.Status == Damaged && strings.HasPrefix(string(it.Text), "the library failed: "),
			"%s: %+v %v", op, it, err)
		works(t, &children)
	}
}

// TestLoop: a child that makes nothing is ended, and one whose parent gives up, too.
func TestLoop(t *testing.T) {
	j := must.Get(children.open(t.Context(), Source{Format: hostile, Octets: strings.NewReader("loop"), Size: 4}))(t)
	j.patience = 100 * time.Millisecond
	_, err := j.Next()
	check.That(t, errors.Is(err, errEnded), "%v", err)
	j.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	j = must.Get(children.open(ctx, Source{Format: hostile, Octets: strings.NewReader("loop"), Size: 4}))(t)
	_, err = j.Next()
	check.That(t, errors.Is(err, errEnded), "%v", err)
	j.Close()
	works(t, &children)
}

// TestOutput: the parent can leave an endless member at any place.
func TestOutput(t *testing.T) {
	j := must.Get(children.open(t.Context(),
		Source{Format: hostile, Octets: strings.NewReader("output"), Size: 6, Members: 1}))(t)
	it, err := j.Next()
	must.That(t, err == nil && it.Kind == Member && string(it.Name) == "endless", "%+v %v", it, err)
	if n, err := io.CopyN(io.Discard, j, 1<<20); n != 1<<20 || err != nil {
		t.Error(n, err)
	}
	w := j.worker
	j.Close()
	check.That(t, w.cmd.ProcessState != nil, "the child goes on")
	works(t, &children)
}

// TestPool: one child serves many files, unless its format is for one file.
func TestPool(t *testing.T) {
	var p pool
	first := -1
	for range 5 {
		w := must.Get(p.borrowChild())(t)
		if pid := w.cmd.Process.Pid; first >= 0 && pid != first {
			t.Errorf("another child: %d, %d", pid, first)
		} else {
			first = pid
		}
		p.giveBack(w)
	}
	p.drain()
	children.drain()
	_, err := asked(t, &children, hostile+" once", "work")
	check.That(t, err == nil && len(children.idle) == 0, "%d children wait, %v", len(children.idle), err)
}

// TestEndsWithItsPipe: a child that works ends when its parent has gone.
func TestEndsWithItsPipe(t *testing.T) {
	j := must.Get(children.open(t.Context(), Source{Format: hostile, Octets: strings.NewReader("loop"), Size: 4}))(t)
	must.Do(t, j.worker.link.Close())
	ended := make(chan error)
	go func() { ended <- j.worker.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("the child goes on")
	}
	j.Close()
}

// TestNoWall: without a wall nothing is decoded, unless the caller allows it.
func TestNoWall(t *testing.T) {
	p := pool{args: []string{"no wall"}}
	defer p.drain()
	s := Source{Format: hostile, Octets: strings.NewReader("work"), Size: 4}
	_, err := p.open(t.Context(), s)
	check.That(t, errors.Is(err, ErrNoWall), "%v", err)
	s.Unconfined = true
	j := must.Get(p.open(t.Context(), s))(t)
	it, err := j.Next()
	check.That(t, err == nil && it.Kind == Row, "%+v %v", it, err)
	j.Close()
}

// TestHandedOver: a file comes as a descriptor that cannot be written to, and its bytes
// where that is not possible.
func TestHandedOver(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(name, []byte("write"), 0o600))
	f := must.Get(os.OpenFile(name, os.O_RDWR, 0))(t)
	defer f.Close()
	j := must.Get(children.open(t.Context(), Source{Format: hostile, Octets: f, Size: 5}))(t)
	defer j.Close()
	it, err := j.Next()
	if text := string(it.Text); err != nil || !strings.Contains(text, syscall.EPERM.Error()) {
		t.Errorf("%q %v", text, err)
	}
	w := must.Get(children.borrowChild())(t)
	defer w.endChild()
	r := request{format: byte(placeOf(hostile)), size: 4, most: 1, inline: true}
	must.Get(w.link.Write(append(r.encode(), "work"...)))(t)
	k, text, err := (&Job{worker: w, patience: time.Minute}).readMessage()
	check.That(t, err == nil && k == Row && bytes.Contains(text, []byte("work")), "%c %q %v", k, text, err)
}

// TestInherited: a child has no descriptor that its parent was started with.
func TestInherited(t *testing.T) {
	f := must.Get(os.CreateTemp(t.TempDir(), "secret"))(t)
	defer f.Close()
	must.Get(f.WriteString("secret"))(t)
	const above = 500 // the child itself opens no descriptor with such a number
	inherited := must.Get(unix.FcntlInt(f.Fd(), unix.F_DUPFD, above))(t)
	defer unix.Close(inherited)
	var p pool
	defer p.drain()
	it, err := asked(t, &p, hostile, "inherited "+strconv.Itoa(inherited))
	text := string(it.Text)
	check.That(t, err == nil && it.Status == Damaged && strings.Contains(text, syscall.EBADF.Error()), "%q %v", text, err)
}

// TestNoChild: a program that only has the name of a child is none.
func TestNoChild(t *testing.T) {
	for _, name := range []string{"", "0", "17"} {
		check.That(t, !isPipe(name), "%q", name)
	}
}

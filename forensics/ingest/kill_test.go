package ingest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// childEnv makes the test binary an ingest: "steps", "whole", "halt" for small steps and no
// more than six of them, "key" for that with a user's key, or "full" for a disk that is full
// when all is committed; then the case, then the paths, one a line.
const childEnv = "SVC_VERIFY_TEST_INGEST"

// TestMain does fewer checks of each property with -short: every one of them fills
// cases from files.
func TestMain(m *testing.M) {
	if order := os.Getenv(childEnv); order != "" {
		if err := child(strings.Split(order, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if status, err := os.ReadFile("/proc/self/status"); err == nil && strings.HasPrefix(order, "whole") {
			os.Stderr.Write(status) // for a test that reads its peak
		}
		os.Exit(0)
	}
	flag.Parse()
	if testing.Short() {
		chance.Checks(20)
	}
	os.Exit(m.Run())
}

// child ingests, in small steps if requested, and reports on stdout when each is done.
func child(order []string) error {
	var user []store.Option
	if order[0] == "key" {
		user = append(user, keyOf(1))
	}
	w, err := store.OpenWrite(order[1], user...)
	if err != nil {
		return err
	}
	options := Options{}
	if order[0] != "whole" {
		w.CommitEvery(40 << 10)
		options.ChunkRecords = 50
	}
	fmt.Println("open")
	steps := 0
	_, err = Paths(context.Background(), w, order[2:], options, func(Progress) {
		fmt.Println("step")
		if steps++; steps == 6 && (order[0] == "halt" || order[0] == "key") {
			time.Sleep(time.Hour) // it is killed
		}
	})
	if order[0] == "full" {
		err = errors.Join(err, fillDisk(order[1]))
	}
	return errors.Join(err, w.Close())
}

// live runs a child and kills it after some steps. It reports whether the child
// came to its end first.
func live(t *testing.T, order []string, steps int) (finished bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(order, "\n"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	said := bufio.NewScanner(stdout)
	for i := 0; i < steps && said.Scan(); i++ {
	}
	cmd.Process.Kill()
	for said.Scan() {
	}
	err := cmd.Wait()
	must.That(t, stderr.Len() == 0, "the ingest failed: %s", stderr.String())
	return err == nil
}

// TestKilledAndResumed kills ingests at arbitrary moments. Repeated to the end, they make the
// same case as an undisturbed ingest.
func TestKilledAndResumed(t *testing.T) {
	dir, _, want := folderOfSources(t)
	random := rand.New(rand.NewPCG(4, 4))
	for kills := 0; kills < chance.Sized(20, 2); {
		order := []string{"steps", filepath.Join(t.TempDir(), "case.db"), dir}
		// Without a key no one vouches for the content that a killed ingest left, so that all
		// of it is read again: each has to get further.
		for most := 25; !live(t, order, 1+random.IntN(most)); most += 25 {
			kills++
		}
		sameDump(t, dump(t, order[1]), want)
	}
}

// TestInterruptedSourceChanged: a source that was begun is not mistaken for the beginning of
// another.
func TestInterruptedSourceChanged(t *testing.T) {
	dir := t.TempDir()
	content := file(journal(berlin, 400, 1))
	path := write(t, dir, "journal", content)
	order := []string{"halt", filepath.Join(t.TempDir(), "case.db"), path}
	if live(t, order, 7) { // it reports that the case is open, too
		t.Fatal("the ingest ended before it was killed")
	}
	other := bytes.Replace(content, []byte("the policy"), []byte("The policy"), 1)
	write(t, dir, "journal", other)
	order[0] = "steps"
	must.That(t, live(t, order, 1000), "the ingest was killed")
	sources, err := openRead(t, order[1]).Sources(t.Context())
	must.That(t, err == nil && len(sources) == 2,
		"sources %+v, %v: want the one that was begun and the one that stands there now", sources, err)
	for _, s := range sources {
		complete := s.Size == int64(len(other))
		check.That(t, s.Complete == complete && (!complete || s.Events == 400), "%+v", s)
	}
}

// TestKilledIsOnesOwn: a case whose ingest was killed at any moment is its user's own,
// interrupted, and no one else's. The key vouches for none of it, and later changes by another
// user are noticed.
func TestKilledIsOnesOwn(t *testing.T) {
	path := write(t, t.TempDir(), "journal", file(journal(berlin, 400, 1)))
	for _, steps := range []int{1, 2, 7} {
		order := []string{"key", filepath.Join(t.TempDir(), "case.db"), path}
		must.That(t, !live(t, order, steps), "the ingest ended before it was killed")
		stands(t, order[1], store.Interrupted, store.Unknown)
		w := must.Get(store.OpenWrite(order[1], keyOf(1)))(t)
		w.Adopt()
		must.Do(t, w.Close())
		stands(t, order[1], store.Resumed, store.Unknown)
		alter(t, order[1])
		stands(t, order[1], store.Unknown, store.Unknown)
	}
}

// TestEndedIsOnesOwn: nothing of that remains of an ingest that came to its end, or of a
// case that nothing was put into.
func TestEndedIsOnesOwn(t *testing.T) {
	for _, paths := range [][]string{nil, {write(t, t.TempDir(), "journal", file(journal(berlin, 40, 1)))}} {
		path := filepath.Join(t.TempDir(), "case.db")
		w := must.Get(store.OpenWrite(path, keyOf(1)))(t)
		_, err := Paths(t.Context(), w, paths, Options{}, nil)
		must.Do(t, errors.Join(err, w.Close()))
		stands(t, path, store.Made, store.Unknown)
		alter(t, path)
		stands(t, path, store.Unknown, store.Unknown)
	}
}

// stands asserts the standing of a case for its user and for another one. A writer mends the
// files that a kill left next to the case, and vouches for nothing new.
func stands(t *testing.T, path string, own, other store.Standing) {
	t.Helper()
	for user, want := range map[byte]store.Standing{1: own, 2: other} {
		c := must.Get(store.OpenWrite(path, keyOf(user)))(t)
		check.Equal(t, c.Standing(), want, "user %d: standing", user)
		must.Do(t, c.Close())
	}
}

// alter changes a case as anyone with write access can.
func alter(t *testing.T, path string) {
	t.Helper()
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	const insert = "INSERT INTO unread VALUES ('other', 'source.unreadable', '')"
	must.Do(t, errors.Join(c.Exec(insert), c.Close()))
}

// TestCancelled: an ingest that is cancelled stops, and continues later.
func TestCancelled(t *testing.T) {
	dir, _, want := folderOfSources(t)
	for stopAt := 1; stopAt < 40; stopAt += chance.Sized(8, 30) {
		path := filepath.Join(t.TempDir(), "case.db")
		w := must.Get(store.OpenWrite(path))(t)
		ctx, cancel := context.WithCancel(t.Context())
		steps := 0
		_, err := Paths(ctx, w, []string{dir}, Options{ChunkRecords: 50}, func(Progress) {
			if steps++; steps == stopAt {
				cancel()
			}
		})
		must.That(t, err != nil, "the ingest came to its end")
		must.Do(t, w.Close())
		fill(t, path, Options{}, dir)
		sameDump(t, dump(t, path), want)
	}
}

// keyOf opens a case as one of several users.
func keyOf(user byte) store.Option {
	return store.With(must.Have(store.NewKey([store.KeySize]byte{user})))
}

package collector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestModes: the answer that a client gets in each mode, and the part of its request that is
// kept.
func TestModes(t *testing.T) {
	for mode, c := range map[Mode]struct {
		status int
		answer string // media type and body
		kept   int
	}{
		Accept:       {200, "application/x-protobuf ", 3},
		Down:         {0, "lost", 0},
		Reject400:    {400, "text/plain; charset=utf-8 told to\n", 0},
		Reject429:    {429, "text/plain; charset=utf-8 told to\n", 0},
		Reject503:    {503, "text/plain; charset=utf-8 told to\n", 0},
		Partial:      {200, "application/x-protobuf \x0a\x0b\x08\x02\x12\x07told to", 1},
		GarbageBody:  {200, "application/x-protobuf \x0a\xff", 3},
		GarbageType:  {200, "text/html; charset=utf-8 <!doctype html>", 3},
		GarbageLarge: {200, "application/x-protobuf \x7a\x80\x80\x40   ", 3},
		Torn:         {200, "lost unexpected EOF", 3},
		Lost:         {0, "lost", 3},
		Slow:         {0, "lost", 3},
		Redirect:     {307, " ", 0},
		RedirectGet:  {302, " ", 0},
	} {
		t.Run(string(mode), func(t *testing.T) {
			b := newBench(t)
			must.Do(b, b.SetMode(mode))
			check.Equal(t, b.Mode(), mode, "the mode")
			ctx, giveUp := context.WithCancel(t.Context())
			defer giveUp()
			if mode == Slow { // it will never answer
				go func() { b.awaitRecord(); giveUp() }()
			}
			status, kind, content := b.post(ctx, b.client, "id", request(t, "a", "b", "c"))
			if got := kind + " " + content; status != c.status || !strings.HasPrefix(got, c.answer) {
				t.Errorf("expected %d %q, found %d %.60q", c.status, c.answer, status, got)
			}
			if kept := b.kept(); fmt.Sprint(kept) != fmt.Sprint([]string{"id a", "id b", "id c"}[:c.kept]) {
				t.Errorf("kept %q", kept)
			}
			n := b.Counts()
			check.That(t, n.Records == int64(c.kept) && (n.Requests == 0) == (mode == Down), "%+v", n)
			// And back at the same address.
			address := b.Address
			must.Do(b, b.SetMode(Accept))
			if status, _, _ := b.post(t.Context(), b.client, "id", request(t, "d")); status != 200 || b.Address != address {
				t.Errorf("afterwards: %d at %s", status, b.Address)
			}
		})
	}
	check.Equal(t, len(Modes()), 14, "modes")
}

func TestParseMode(t *testing.T) {
	for _, m := range Modes() {
		got, err := ParseMode(string(m))
		check.That(t, err == nil && got == m, "%s: %s, %v", m, got, err)
	}
	b := newBench(t)
	for _, name := range []string{"", "Accept", "accept ", "\x1b[m"} {
		_, err := ParseMode(name)
		check.That(t, err != nil && !strings.ContainsRune(err.Error(), '\x1b'), "%q: %v", name, err)
		check.That(t, b.SetMode(Mode(name)) != nil && b.Mode() == Accept, "%q became the mode", name)
	}
}

// TestModeFile: the mode is the one that the file names, which may be absent or name none.
func TestModeFile(t *testing.T) {
	b := newBench(t)
	must.Do(t, b.Close())
	var log bytes.Buffer
	b.Config.ModeFile, b.Config.Log = filepath.Join(t.TempDir(), "mode"), slog.New(slog.NewTextHandler(&log, nil))
	b.start(b.Config)
	for _, c := range []struct {
		content string
		want    Mode
	}{{"lost\n", Lost}, {"no mode", Lost}, {"no mode", Lost}, {"partial", Partial}} {
		must.Do(t, os.WriteFile(b.ModeFile, []byte(c.content), 0o600))
		check.Equal(t, b.Mode(), c.want, "with %q", c.content)
	}
	check.Equal(t, strings.Count(log.String(), "the mode stays as it was"), 1, "complaints")
	must.Do(t, os.Remove(b.ModeFile))
	check.Equal(t, b.Mode(), Accept, "without a file")
}

// TestEndsWithItsContext: a collector that was stopped leaves no request waiting.
func TestEndsWithItsContext(t *testing.T) {
	b := newBench(t)
	must.Do(b, b.SetMode(Slow))
	answered := make(chan string)
	go func() {
		_, kind, _ := b.post(t.Context(), b.client, "id", request(t, "a"))
		answered <- kind
	}()
	b.awaitRecord()
	must.Do(b, b.Close())
	check.Equal(t, <-answered, "lost", "it was answered with")
}

// awaitRecord waits until the collector has kept something.
func (b *bench) awaitRecord() {
	for b.Counts().Records == 0 {
		time.Sleep(time.Millisecond)
	}
}

// TestModesUnderLoad: every acknowledged request is kept, even if the mode changes in between.
func TestModesUnderLoad(t *testing.T) {
	b := newBench(t)
	var senders sync.WaitGroup
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	for s := range 4 {
		senders.Go(func() {
			for i := range 50 {
				id := fmt.Sprintf("%d-%d", s, i)
				if status, kind, text := b.post(t.Context(), b.client, id, request(t, "x")); status == 200 &&
					kind == mediaType && text == "" {
					mu.Lock()
					acknowledged[id+" x"] = true
					mu.Unlock()
				}
			}
		})
	}
	for _, m := range []Mode{Lost, Down, Accept, Reject503, Accept, Torn, Down, Accept} {
		must.Do(b, b.SetMode(m))
	}
	senders.Wait()
	for _, k := range b.kept() {
		delete(acknowledged, k)
	}
	check.That(t, len(acknowledged) == 0, "acknowledged and not kept: %v", acknowledged)
}

// TestRestart: a line that a crash has torn is cut off.
func TestRestart(t *testing.T) {
	b := newBench(t)
	var want []string
	send := func(n int) {
		for range n {
			body := fmt.Sprint(len(want), strings.Repeat("x", 100))
			want = append(want, "id "+body)
			status, _, text := b.post(t.Context(), b.client, "id", request(t, body))
			must.That(t, status == 200, "%v %v", status, text)
		}
	}
	send(2)
	must.Do(b, b.Close())
	torn, err := os.OpenFile(b.File, os.O_APPEND|os.O_WRONLY, 0)
	must.Do(b, err)
	_, err = torn.WriteString(`{"resourceLogs":[{`)
	must.Do(b, errors.Join(err, torn.Close()))
	b.start(b.Config)
	send(2)
	got := b.kept()
	check.That(t, fmt.Sprint(got) == fmt.Sprint(want), "kept %q", got)
	info := must.Get(os.Stat(b.File))(b)
	check.Equal(t, info.Mode().Perm(), 0o600, "the permissions of the file")
}

// TestDiskFails: a request that could not be written is not acknowledged.
func TestDiskFails(t *testing.T) {
	b := newBench(t)
	must.Do(b, b.file.f.Close())
	status, _, _ := b.post(t.Context(), b.client, "id", request(t, "a"))
	check.That(t, status == http.StatusServiceUnavailable, "%v", status)
	n := b.Counts()
	check.That(t, n.Records == 0, "%+v", n)
}

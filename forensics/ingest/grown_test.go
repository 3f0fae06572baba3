package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// codesOf returns the codes of all spans that were not read.
func codesOf(t *testing.T, path string) (codes []string) {
	t.Helper()
	codes, _ = said(t, path)
	return codes
}

// liveLogs are forms of a log that is still written.
func liveLogs() map[string]func([]byte) string {
	at := "2026-03-02T09:00:00Z"
	return map[string]func([]byte) string{
		"bare": func(l []byte) string { return string(l) + "\n" },
		"CRI": func(l []byte) string {
			return at + " stdout P " + string(l[:50]) + "\n" + at + " stdout F " + string(l[50:]) + "\n"
		},
		"docker": func(l []byte) string {
			return `{"log":` + dumps.Quote(string(l)+"\n") + `,"stream":"stdout","time":"` + at + `"}` + "\n"
		},
		"syslog": func(l []byte) string { return "<134>1 " + at + " host edge 1 - - " + string(l) + "\n" },
		"kafka": func(l []byte) string {
			return `{"topic":"t","partition":0,"offset":1,"payload":` +
				dumps.Quote(string(l)) + "}\n"
		},
		"foreign": func(l []byte) string { return `{"level":"info","fields":{"text":` + dumps.Quote(string(l)) + "}}\n" },
		"systemd": func(l []byte) string { return "__CURSOR=1\nMESSAGE=" + string(l) + "\n\n" },
	}
}

// TestFileThatGrew: a file that is given again with more in it replaces its earlier source,
// however much of its last line was there.
func TestFileThatGrew(t *testing.T) {
	events := journal(berlin, 9, 1)
	for name, form := range liveLogs() {
		var all strings.Builder
		for _, line := range events {
			all.WriteString(form(bytes.TrimSpace(line)))
		}
		whole, dir, steps := []byte(all.String()), t.TempDir(), chance.Sized(9, 3)
		write(t, dir, "app.log", whole)
		want := dump(t, newCase(t, Options{}, dir))
		for n := len(whole) / 2; n < len(whole); n += len(whole) / steps {
			path := filepath.Join(t.TempDir(), "case.db")
			evidence := write(t, dir, "app.log", whole[:n])
			fill(t, path, Options{}, evidence)
			for _, code := range codesOf(t, path) {
				check.That(t, (finding.Finding{Code: finding.Code(code)}).Complete().Severity == finding.Info,
					"%s, %d octets: %s is no half line", name, n, code)
			}
			write(t, dir, "app.log", whole)
			fill(t, path, Options{}, dir)
			sameDump(t, dump(t, path), want)
		}
	}
}

// TestFileThatWasRotated: a log that grew and got another name is the same log.
func TestFileThatWasRotated(t *testing.T) {
	events := journal(berlin, 30, 1)
	for _, rotated := range []string{"app.log.1", "app.log-20260302", "app.log.20260302-090000"} {
		dir, path := t.TempDir(), filepath.Join(t.TempDir(), "case.db")
		write(t, dir, "app.log", file(events[:10]))
		fill(t, path, Options{}, dir)
		write(t, dir, rotated, file(events[:20]))
		write(t, dir, "app.log", file(events[20:]))
		fill(t, path, Options{}, dir)
		sameDump(t, dump(t, path), dump(t, newCase(t, Options{}, dir)))
	}
}

// TestOtherFiles: a source that is no beginning of a file stays alongside it.
func TestOtherFiles(t *testing.T) {
	events, others := journal(berlin, 30, 1), journal(oslo, 10, 1)
	for name, c := range map[string]struct {
		before, after map[string][]byte
		sources       int
	}{
		"another content": {map[string][]byte{"app.log": file(others)}, map[string][]byte{"app.log": file(events)}, 2},
		"another name": {map[string][]byte{"app.log": file(events[:9])}, map[string][]byte{"apple.log": file(events)},
			2},
		"less in it": {map[string][]byte{"app.log": file(events)}, map[string][]byte{"app.log": file(events[:9])},
			2},
		"a copy elsewhere": {map[string][]byte{"app.log": file(events[:9]), "copy.log": file(events[:9])},
			map[string][]byte{"app.log": file(events)}, 2},
		"grown twice": {map[string][]byte{"app.log": file(events[:9])}, map[string][]byte{"app.log": file(events)}, 1},
	} {
		dir, path := t.TempDir(), filepath.Join(t.TempDir(), "case.db")
		for file, content := range c.before {
			write(t, dir, file, content)
		}
		fill(t, path, Options{}, dir)
		for file, content := range c.after {
			write(t, dir, file, content)
		}
		fill(t, path, Options{}, dir)
		sources, err := openRead(t, path).Sources(t.Context())
		check.That(t, err == nil && len(sources) == c.sources,
			"%s: %d sources, want %d: %+v, %v", name, len(sources), c.sources, sources, err)
		for _, s := range sources {
			check.That(t, name != "a copy elsewhere" || len(s.Paths) == 1, "%s: %+v", name, s)
		}
	}
}

// whileReading ingests a file, to which something is done while it is read.
func whileReading(t *testing.T, path, evidence string, do func()) {
	t.Helper()
	w := must.Get(store.OpenWrite(path))(t)
	done := false
	_, err := Paths(context.Background(), w, []string{evidence}, Options{ChunkRecords: 20}, func(Progress) {
		if !done {
			done = true
			do()
		}
	})
	if err := errors.Join(err, w.Close()); err != nil || !done {
		t.Fatal(err, done)
	}
}

// TestFileThatIsExchanged: a file that is renamed, removed or cut while it is read is named,
// and the content that could be read is there.
func TestFileThatIsExchanged(t *testing.T) {
	all := journal(berlin, 2500, 1)
	for name, c := range map[string]struct {
		do   func(path string) error
		says string
		some bool // not all events are there
	}{
		"renamed": {func(path string) error { return os.Rename(path, path+".1") }, "renamed or removed", false},
		"replaced": {func(path string) error {
			return errors.Join(os.WriteFile(path+".new", file(all[:1]), 0o600), os.Rename(path+".new", path))
		}, "another file took its place", false},
		"cut":        {func(path string) error { return os.Truncate(path, 1000) }, "cut while it was read", true},
		"not at all": {func(string) error { return nil }, "", false},
	} {
		evidence := write(t, t.TempDir(), "app.log", file(all))
		path := filepath.Join(t.TempDir(), "case.db")
		whileReading(t, path, evidence, func() {
			check.Do(t, c.do(evidence))
		})
		var changes []string
		codes, details := said(t, path)
		for i, code := range codes {
			if code == string(finding.SourceChanged) {
				changes = append(changes, details[i])
			}
		}
		if got := strings.Join(changes, "; "); !strings.Contains(got, c.says) || c.says == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, c.says)
		}
		got := len(lines(t, path, berlin))
		check.That(t, (got < len(all)) == c.some && got != 0, "%s: %d events of %d", name, got, len(all))
	}
}

// TestGrowsWhileItIsRead: the content that every ingest of a live file adds is counted once.
func TestGrowsWhileItIsRead(t *testing.T) {
	all := file(journal(berlin, 300, 1))
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "case.db")
	for n := 40_000; n < len(all); n += 20_000 {
		evidence := write(t, dir, "app.log", all[:n])
		whileReading(t, path, evidence, func() { write(t, dir, "app.log", all[:n+500]) })
	}
	write(t, dir, "app.log", all)
	fill(t, path, Options{}, dir)
	sameDump(t, dump(t, path), dump(t, newCase(t, Options{}, dir)))
}

func TestFormerPaths(t *testing.T) {
	got := fmt.Sprint(slices.Collect(formerPaths("/var/log/a.b/0.log.20260302-0900")))
	want := "[/var/log/a.b/0.log.20260302-0900 /var/log/a.b/0.log.20260302 /var/log/a.b/0.log /var/log/a.b/0]"
	check.That(t, got == want, "%s, want %s", got, want)
}

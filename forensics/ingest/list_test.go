package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// A list has each source once, volumes together, and unread files with the reason.
func TestList(t *testing.T) {
	dir := t.TempDir()
	line := append(slices.Clone(dumps.Bodies(1)[0]), '\n')
	for name, content := range map[string][]byte{"a.ndjson": line, "b.ndjson": nil, "x.001": line[:99],
		"x.002": line[99:]} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	for link, to := range map[string]string{"here": filepath.Join(dir, "a.ndjson"), "there": os.DevNull} {
		must.Do(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	var got []string
	say := func(format string, about ...any) { got = append(got, fmt.Sprintf(format, about...)) }
	err := ingest.List(context.Background(), []string{dir, filepath.Join(dir, "none")}, ingest.Options{},
		func(s *ingest.Source) error {
			check.That(t, s.Absolute != "" || s.Volumes != nil, "%s has no absolute path", s.Path)
			b := make([]byte, s.Size)
			n, err := s.File.ReadAt(b, 0)
			check.That(t, int64(n) == s.Size, "%s: %v", s.Path, err)
			say("%s: %d octets, %d volumes %q%s", filepath.Base(s.Path), s.Size, len(s.Volumes), s.Remark, s.Changed(s.Size))
			return nil
		}, func(u facts.Unread) error {
			say("%s: %s", filepath.Base(u.Path), u.Code)
			return nil
		})
	must.Do(t, err)
	want := []string{
		fmt.Sprintf(`a.ndjson: %d octets, 0 volumes ""`, len(line)), `b.ndjson: 0 octets, 0 volumes ""`,
		"here: source.no-record", "there: source.not-evidence",
		fmt.Sprintf(`x.001: %d octets, 2 volumes "joined from 2 volumes, up to \"x.002\""`, len(line)),
		"none: source.unreadable",
	}
	check.That(t, slices.Equal(got, want), "%q, want %q", got, want)
}

// Errors of the caller end a list, and so does the standard input.
func TestListStops(t *testing.T) {
	ours := errors.New("ours")
	stop := func(*ingest.Source) error { return ours }
	refuse := func(facts.Unread) error { return ours }
	for path, want := range map[string]error{"-": ingest.ErrStream, "list_test.go": ours, "none": ours} {
		err := ingest.List(context.Background(), []string{path}, ingest.Options{}, stop, refuse)
		check.That(t, errors.Is(err, want), "%s: %v", path, err)
	}
}

// A source that is written to while it is listed reports the change.
func TestListChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ndjson")
	must.Do(t, os.WriteFile(path, []byte("{}\n"), 0o600))
	must.Do(t, ingest.List(context.Background(), []string{path}, ingest.Options{}, func(s *ingest.Source) error {
		got := s.Changed(s.Size)
		check.That(t, got == "", "changed before it was: %s", got)
		must.Do(t, os.WriteFile(path, []byte("{}\n{}\n"), 0o600))
		check.That(t, s.Changed(s.Size) != "", "unchanged although it was written to")
		return nil
	}, nil))
}

// How sources are read can be read back, unless another version wrote it.
func TestHowOf(t *testing.T) {
	for _, o := range []read.Options{{}, {Format: read.Bodies, BatchAttributes: []string{"a", "b"},
		Limits: read.Limits{Unit: 9}}, {Confinement: read.Unconfined}} {
		back, err := ingest.HowOf(ingest.How(o))
		check.That(t, err == nil && reflect.DeepEqual(back, o), "%+v becomes %+v: %v", o, back, err)
	}
	for _, text := range []string{"", "{}", `{"reader":1}`, ingest.How(read.Options{}) + " ", `{"reader":4,"x":1}`} {
		check.That(t, check.Err(ingest.HowOf(text)) != nil, "%q is read", text)
	}
}

package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/schemas/validate"
)

// FuzzAlgorithms: a file of dates that is read is one by its schema, and gives the
// dates that a plain reading gives.
func FuzzAlgorithms(f *testing.F) {
	f.Add([]byte(datesDoc), "ecdsa", 384)
	f.Add([]byte(`{"algorithms":[{"bits":2048,"name":"rsa","until":"2030-01-01T00:00:00.000Z"},`+
		`{"bits":3072,"name":"rsa","until":"2035-01-01T00:00:00.000Z"}],"protocol":"svc.archive-algorithms.v1"}`),
		"rsa", 3000)
	f.Fuzz(func(t *testing.T, doc []byte, name string, bits int) {
		a, err := record.ParseAlgorithms(doc)
		if err != nil {
			_ = err.Error()
			return
		}
		if v, err := validate.Document("archive-algorithms", doc); err != nil || len(v) > 0 {
			t.Fatalf("%s is read, and its schema says %v, %v", doc, v, err)
		}
		var plain struct {
			Algorithms []struct {
				Name  string
				Bits  int
				Until time.Time
			}
		}
		must.Do(t, json.Unmarshal(doc, &plain))
		var want time.Time
		most, listed := -1, false
		for _, r := range plain.Algorithms {
			if r.Name == name && r.Bits <= bits && r.Bits > most {
				want, most, listed = r.Until, r.Bits, true
			}
		}
		if got, ok := a.Until(timestamp.Algorithm{Name: name, Bits: bits}); ok != listed || !got.Equal(want) {
			t.Fatalf("%s of %d bits until %v, %v, want %v, %v", name, bits, got, ok, want, listed)
		}
	})
}

// FuzzCovers: of a chain that stands, no other octets of covers.json are accepted.
func FuzzCovers(f *testing.F) {
	w := newWorld(f)
	c := w.twenty(f)
	good := c.Steps[2].Files["covers.json"]
	f.Add(good)
	f.Add(c.Steps[1].Files["covers.json"])
	f.Add(bytes.TrimSpace(good))
	f.Fuzz(func(t *testing.T, doc []byte) {
		files := map[string][]byte{}
		for name, own := range c.Steps[2].Files {
			files[name] = own
		}
		files["covers.json"] = doc
		changed := &record.Chain{Steps: []record.Step{c.Steps[0], c.Steps[1], {Files: files}}}
		r := record.Verify(w.sealed, changed, w.options(2046, w.quantum.crl(2046)))
		must.That(t, (r.Verdict == outcome.Verified) == bytes.Equal(doc, good),
			"%s: %+v", r.Verdict, r.Findings)
	})
}

// TestFolders: what a folder of a chain may not have.
func TestFolders(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"a file in the place of a folder": func(dir string) error { return os.WriteFile(dir+"/0001", nil, 0o644) },
		"a gap":                           func(dir string) error { return os.Mkdir(dir+"/0002", 0o755) },
		"another folder":                  func(dir string) error { return os.Mkdir(dir+"/notes", 0o755) },
		"a folder in a step":              func(dir string) error { return os.MkdirAll(dir+"/0001/token.tst", 0o755) },
		"a link to a file": func(dir string) error {
			if err := os.Mkdir(dir+"/0001", 0o755); err != nil {
				return err
			}
			return os.Symlink("/etc/hostname", dir+"/0001/token.tst")
		},
		"a link to a folder": func(dir string) error { return os.Symlink("/etc", dir+"/0001") },
		"a large file": func(dir string) error {
			if err := os.Mkdir(dir+"/0001", 0o755); err != nil {
				return err
			}
			return os.WriteFile(dir+"/0001/request.tsq", make([]byte, timestamp.MaxRequest+1), 0o644)
		},
	} {
		dir := t.TempDir()
		must.Do(t, spoil(dir))
		_, err := record.Read(dir)
		check.That(t, isMalformed(err), "%s: %v", name, err)
	}
	if c, err := record.Read(t.TempDir() + "/absent"); err != nil || len(c.Steps) != 0 {
		t.Errorf("no folder: %v", err)
	}
	w := newWorld(t)
	dir := t.TempDir() + "/s.chain"
	step := must.Get(record.Prepare(w.sealed, &record.Chain{}, w.sealed.Tree, nil))(t)
	must.Do(t, record.WritePending(dir, step))
	check.That(t, record.WritePending(dir, step) != nil, "a request that waits is replaced")
	c, err := record.Read(dir)
	must.That(t, err == nil && c.Pending != nil && bytes.Equal(c.Pending.Request(), step.Request()),
		"%+v, %v", c, err)
	if _, err := record.Prepare(w.sealed, c, w.sealed.Tree, nil); !errors.Is(err, record.ErrPending) {
		t.Error(err)
	}
	next, r, err := record.Take(w.sealed, c, w.old.signer.Stamp(step.Request(), year(2026)), nil, w.options(2026))
	must.That(t, err == nil && record.Taken(r), "%v, %+v", err, r)
	must.Do(t, record.WriteLast(dir, next))
	if c, err := record.Read(dir); err != nil || c.Pending != nil || len(c.Steps) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if left, err := os.ReadDir(dir + "/.."); err != nil || len(left) != 1 {
		t.Errorf("beside the chain is %v, %v", left, err)
	}
}

func isMalformed(err error) bool {
	var m *record.Malformed
	return errors.As(err, &m)
}

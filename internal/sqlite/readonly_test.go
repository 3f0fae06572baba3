package sqlite

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// walFile makes a file with ten rows in its write-ahead log, as a writer leaves it that was
// killed. Its name needs escaping in a URI.
func walFile(t *testing.T) string { return killed(t, "") }

// killed makes a file with ten rows, as a writer leaves it that did the rest and was
// killed.
func killed(t *testing.T, rest string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a%20 ?#.db")
	c, err := Open(path, Create)
	must.Do(t, err)
	defer c.Close()
	err = c.Exec("PRAGMA journal_mode=WAL; CREATE TABLE a (x); " +
		"INSERT INTO a WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n; " + rest)
	must.Do(t, err)
	killed := filepath.Join(t.TempDir(), filepath.Base(path))
	for _, suffix := range []string{"", "-wal", "-shm"} {
		octets, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(killed+suffix, octets, 0o600)
		}
		must.Do(t, err)
	}
	return killed
}

// TestReadOnlyWritesNothing: a reader sees the content of the write-ahead log, and changes no
// file, whatever is in the place of the log's index.
func TestReadOnlyWritesNothing(t *testing.T) {
	for what, index := range map[string]func(path string) error{
		"as it was":   func(string) error { return nil },
		"empty":       func(path string) error { return os.Truncate(path, 0) },
		"other":       func(path string) error { return os.WriteFile(path, []byte("evidence"), 0o600) },
		"other, long": func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("evidence"), 8<<10), 0o600) },
		"read only":   func(path string) error { return os.Chmod(path, 0o400) },
	} {
		path := walFile(t)
		must.Do(t, index(path+"-shm"))
		before := contents(t, path)
		c, err := Open(path, ReadOnly)
		must.That(t, err == nil, "%v %v", what, err)
		n, err := c.Number("SELECT count(*) FROM a")
		if err := errors.Join(err, c.Close()); err != nil || n != 10 {
			t.Errorf("%s: %d rows, %v", what, n, err)
		}
		check.That(t, contents(t, path) == before, "%s: reading changed a file", what)
	}
}

// TestReadOnlySeesWriters: a reader sees the commits that a writer makes meanwhile.
func TestReadOnlySeesWriters(t *testing.T) {
	path := walFile(t)
	w := must.Get(Open(path, ReadWrite))(t)
	defer w.Close()
	for want := int64(11); want < 20; want++ {
		r, err := Open(path, ReadOnly)
		if err == nil {
			_, err = r.Number("SELECT count(*) FROM a")
		}
		must.Do(t, errors.Join(err, w.Exec("INSERT INTO a VALUES (0)")))
		n, err := r.Number("SELECT count(*) FROM a")
		if err := errors.Join(err, r.Close()); err != nil || n != want {
			t.Errorf("%d rows, %v, want %d", n, err, want)
		}
	}
}

// TestReadOnlyLogWithoutFrames: a reader sees all rows, whatever a killed writer or a
// stranger left in the place of the write-ahead log. The file and the log stay as they are.
func TestReadOnlyLogWithoutFrames(t *testing.T) {
	for what, disturb := range map[string]func(log []byte) []byte{
		"as it was":          func(log []byte) []byte { return log },
		"empty":              func([]byte) []byte { return nil },
		"half a header":      func(log []byte) []byte { return log[:logHeaderSize/2] },
		"a header":           func(log []byte) []byte { return log[:logHeaderSize] },
		"an octet of frames": func(log []byte) []byte { return log[:logHeaderSize+1] },
		"other":              func(log []byte) []byte { return bytes.Repeat([]byte("evidence"), len(log)/8) },
		"another page size":  func(log []byte) []byte { log[8] ^= 0x80; return log },
		"another checksum":   func(log []byte) []byte { log[24] ^= 0x80; return log },
	} {
		path := killed(t, "PRAGMA wal_checkpoint(FULL)")
		log, err := os.ReadFile(path + "-wal")
		if err == nil {
			err = os.WriteFile(path+"-wal", disturb(log), 0o600)
		}
		must.Do(t, err)
		before := contents(t, path)
		c, err := Open(path, ReadOnly)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		n, err := c.Number("SELECT count(*) FROM a")
		if err := errors.Join(err, c.Close()); err != nil || n != 10 {
			t.Errorf("%s: %d rows, %v", what, n, err)
		}
		after := contents(t, path)
		check.That(t, after[0] == before[0] && after[1] == before[1], "%s: reading changed a file", what)
	}
}

// contents returns the content of a database's files.
func contents(t *testing.T, path string) (all [3]string) {
	t.Helper()
	for i, suffix := range []string{"", "-wal", "-shm"} {
		octets := must.Get(os.ReadFile(path + suffix))(t)
		all[i] = string(octets)
	}
	return all
}

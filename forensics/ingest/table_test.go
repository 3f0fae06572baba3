package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// database writes lines into a table of a database.
func database(t *testing.T, dir string, lines [][]byte) string {
	t.Helper()
	path := filepath.Join(dir, "logs.db")
	c, err := sqlite.Open(path, sqlite.Create)
	must.Do(t, err)
	err = c.Exec(`CREATE TABLE logs ("Timestamp", "Body")`)
	for _, line := range lines {
		err = errors.Join(err, c.Run(`INSERT INTO logs VALUES ('2026-03-02 09:00:00', ?)`, string(bytes.TrimSpace(line))))
	}
	must.Do(t, errors.Join(err, c.Close()))
	return path
}

// TestDatabaseIsRead: the rows of a database are evidence, and the file stays as it
// was. Its interrupted ingest is not taken for that of another that begins alike.
func TestDatabaseIsRead(t *testing.T) {
	path := database(t, t.TempDir(), journal(berlin, 60, 1))
	before := must.Get(os.ReadFile(path))(t)
	made := newCase(t, Options{ChunkRecords: 20}, path)
	if got := len(lines(t, made, berlin)); got != 60 || len(unread(t, made)) > 0 {
		t.Errorf("%d events, not read %v", got, unread(t, made))
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Error("the file was changed", err)
	}
}

// TestCountedBeforeItIsRead: what a chunk says was read of a source includes all that
// its rows come from. So another file with the same beginning is another source.
func TestCountedBeforeItIsRead(t *testing.T) {
	b := must.Get(os.ReadFile(database(t, t.TempDir(), journal(berlin, 240, 1))))(t)
	in := &ingest{options: Options{ChunkRecords: 20}}
	chunks := 0
	err := in.read(t.Context(), newCounted(bytes.NewReader(b)), facts.Progress{}, func(raw *rawChunk) error {
		if chunks++; raw.progress.Read != int64(len(b)) {
			t.Errorf("chunk %d: %d of %d bytes are read", chunks, raw.progress.Read, len(b))
		}
		return nil
	})
	if err != nil || chunks < 10 {
		t.Error(chunks, err)
	}
}

// TestCaseIsNoEvidence: only what is marked as a case is refused.
func TestCaseIsNoEvidence(t *testing.T) {
	path := database(t, t.TempDir(), journal(berlin, 3, 1))
	b := must.Get(os.ReadFile(path))(t)
	binary.BigEndian.PutUint32(b[68:], 0x73766356)
	marked := write(t, t.TempDir(), "marked", b)
	made := newCase(t, Options{}, path, marked)
	if got := unread(t, made); len(got) != 1 || got["marked"] != string(finding.SourceNotEvidence) ||
		len(lines(t, made, berlin)) != 3 {
		t.Errorf("%v, %d events", got, len(lines(t, made, berlin)))
	}
}

// TestWriteAheadLogBeside: a log that was not given is named, and one that was given is
// searched.
func TestWriteAheadLogBeside(t *testing.T) {
	dir := t.TempDir()
	path := database(t, dir, journal(berlin, 3, 1))
	wal := write(t, dir, "logs.db-wal", append([]byte("pages "), journal(oslo, 1, 1)[0]...))
	made := newCase(t, Options{}, path)
	if got := unread(t, made); len(got) != 1 || got["logs.db-wal"] != string(finding.SourceUnreadable) {
		t.Error(got)
	}
	for _, paths := range [][]string{{path, wal}, {dir}} {
		made := newCase(t, Options{}, paths...)
		if got := unread(t, made); len(got) != 0 || len(lines(t, made, oslo)) != 1 || len(lines(t, made, berlin)) != 3 {
			t.Errorf("%v: %v", paths, got)
		}
	}
}

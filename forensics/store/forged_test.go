package store_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// signed is a content that says of all signatures that they were judged.
type signed struct {
	part.Content
	as event.Signed
}

func (s signed) Copies(ctx context.Context, log facts.Log, from uint64) iter.Seq2[*part.Copy, error] {
	return func(yield func(*part.Copy, error) bool) {
		for c, err := range s.Content.Copies(ctx, log, from) {
			if err == nil {
				c.Signed = s.as
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// rewritten makes a store, and writes its blocks again with such judgements.
func rewritten(t *testing.T, as event.Signed) (path string) {
	t.Helper()
	dir := t.TempDir()
	given := filepath.Join(dir, "evidence")
	must.Do(t, fleettest.Evidence(t, fleet.Scene).Write(given))
	path = filepath.Join(dir, "store.db")
	pour(t, path, []string{filepath.Join(given, fleet.TenantLog)}, 0) // one run of one source
	f := must.Get(store.OpenRead(path))(t)
	var blocks, kept [][]byte
	must.Do(t, part.WriteFrames(t.Context(), signed{f.Content, as}, true,
		func(one part.RowFrame, copies, beside []byte) error {
			if one.Kind == part.Copies {
				blocks, kept = append(blocks, bytes.Clone(copies)), append(kept, bytes.Clone(beside))
			}
			return nil
		}))
	must.Do(t, f.Close())
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	defer c.Close()
	for i := range blocks {
		must.Do(t, c.Run("UPDATE blocks SET copies = ?, kept = ? WHERE block = ?", blocks[i], kept[i], int64(i)+1))
	}
	return path
}

// TestJudgedElsewhere: a store that comes with judgements is refused.
func TestJudgedElsewhere(t *testing.T) {
	must.Do(t, checked(t, rewritten(t, event.Unjudged)))
	for _, as := range []event.Signed{event.Neither, event.OverContent, event.OverRecorded} {
		if err := checked(t, rewritten(t, as)); !errors.Is(err, store.ErrAltered) {
			t.Errorf("%v: %v", as, err)
		}
	}
}

// TestRangeOfFile: a store whose source is a range of a file is refused.
func TestRangeOfFile(t *testing.T) {
	path := rewritten(t, event.Unjudged)
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	must.Do(t, c.Exec("UPDATE sources SET whole_sha256 = sha256, whole_size = read, begins = 0"))
	must.Do(t, c.Close())
	if err := checked(t, path); !errors.Is(err, store.ErrAltered) {
		t.Errorf("%v", err)
	}
}

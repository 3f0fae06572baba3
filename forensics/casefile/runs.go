package casefile

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// runsKept bounds how many runs are known in memory, 32 bytes each. The events
// of others are recognised one by one.
const runsKept = 1 << 17

// runs are the runs of records that came before. What the table holds from
// earlier is not believed: everyone could have written it.
type runs struct {
	add, find *sqlite.Stmt

	mu    sync.RWMutex
	known map[chain.Hash]struct{}
}

func newRuns(c *sqlite.Conn) (*runs, error) {
	r := &runs{known: map[chain.Hash]struct{}{}}
	return r, c.PrepareAll(map[**sqlite.Stmt]string{
		&r.add:  "INSERT OR REPLACE INTO runs VALUES (?, ?)",
		&r.find: "SELECT refs FROM runs WHERE digest = ?",
	})
}

// KnownRun reports whether a run of records is in the case already. It may be
// called while another goroutine adds.
func (w *Writer) KnownRun(digest chain.Hash) bool {
	w.runs.mu.RLock()
	defer w.runs.mu.RUnlock()
	_, ok := w.runs.known[digest]
	return ok
}

func (r *runs) insert(digest chain.Hash, refs []facts.Ref) error {
	var packed []byte
	last := facts.Ref(0)
	for _, ref := range refs {
		packed = binary.AppendVarint(packed, int64(ref-last))
		last = ref
	}
	r.add.Bind(digest[:], packed)
	if err := r.add.Do(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) < runsKept {
		r.known[digest] = struct{}{}
	}
	return nil
}

// refs returns the events of a known run.
func (r *runs) refs(run Run) ([]facts.Ref, error) {
	r.find.Bind(run.Digest[:])
	defer r.find.Reset()
	if _, err := r.find.Step(); err != nil {
		return nil, err
	}
	refs, last := make([]facts.Ref, 0, run.Count), facts.Ref(0)
	for packed := r.find.Blob(0); len(packed) > 0; {
		delta, n := binary.Varint(packed)
		if n <= 0 {
			break
		}
		last += facts.Ref(delta)
		refs, packed = append(refs, last), packed[n:]
	}
	if len(refs) != run.Count {
		return nil, fmt.Errorf("run %s of the case: %d events, expected %d", run.Digest, len(refs), run.Count)
	}
	return refs, nil
}

func (r *runs) close() {
	if r != nil {
		sqlite.CloseAll(r.add, r.find)
	}
}

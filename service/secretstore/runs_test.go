package secretstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
)

// maker makes worlds that do not meet.
type maker struct {
	dir   string
	count int
	lock  sync.Mutex
}

func newMaker(t *testing.T) *maker { return &maker{dir: t.TempDir()} }

// next is an empty directory.
func (m *maker) next(t tester) string {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.count++
	dir := filepath.Join(m.dir, fmt.Sprint(m.count))
	must.Do(t, os.Mkdir(dir, 0o700))
	return dir
}

// memory is a world without socket and disk.
func (m *maker) memory(t tester) *world {
	return newWorld(t, m.next(t), memoryPlace(t), &memoryJournal{})
}

// few is how many of the cases that need connections one is taken of: all with
// the real server. The embedded engine has them all without connections.
func few(b kvtest.Backend, long, short int) int {
	switch {
	case testing.Short():
		return short
	case b.Name() != "embedded":
		return 1
	}
	return long
}

// real is a world with a client over TLS, and a disk.
func (m *maker) real(t *testing.T, b kvtest.Backend) *world {
	dir := m.next(t)
	state := filepath.Join(dir, "state")
	must.Do(t, os.Mkdir(state, 0o700))
	j := newDiskJournal(t, state)
	t.Cleanup(j.close)
	p := placeOf(t, b)
	p.base = fmt.Sprintf("edge/payments-%d", m.count)
	return newWorld(t, dir, p, j)
}

// checks sets how many runs the next property has, unless the command line does.
func checks(t *testing.T, long, short int) {
	t.Helper()
	runs := long
	if testing.Short() {
		runs = 5 * short // of which a short test makes a fifth
	}
	chance.Checks(runs)
}

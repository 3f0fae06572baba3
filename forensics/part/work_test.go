package part_test

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// counted counts the octets that are read.
type counted struct {
	*bytes.Reader
	read *atomic.Int64
}

func (c counted) ReadAt(b []byte, at int64) (int, error) {
	c.read.Add(int64(len(b)))
	return c.Reader.ReadAt(b, at)
}

// spread opens many parts of one log, each with its own events.
func spread(t *testing.T, parts int, each uint64) (all []part.Content, size int64, read *atomic.Int64) {
	read = new(atomic.Int64)
	for i := range parts {
		m := ordinary(0, 1, 1+uint64(i)*each, each)
		m.shares[0].Source[0], m.shares[0].Source[1] = byte(i>>8), byte(i)
		b := octets(t, m, nil)
		size += int64(len(b))
		f := must.Get(part.Open(context.Background(), counted{bytes.NewReader(b), read}, int64(len(b)), nil))(t)
		all = append(all, f)
	}
	return all, size, read
}

// TestReads: of many parts each is read once to be joined, and one at a time. To
// find an event, one block of one part is read.
func TestReads(t *testing.T) {
	all, size, read := spread(t, 400, 100)
	m := must.Get(part.Merge(all...))(t)
	read.Store(0)
	log := m.Logs()[0]
	for _, from := range []uint64{1, 777, 20_000, 39_999, 40_000, 40_001, 1 << 60} {
		read.Store(0)
		for c, err := range m.Copies(context.Background(), log, from) {
			check.That(t, err == nil && c.Sequence == from, "from %d: %d, %v", from, c.Sequence, err)
			break
		}
		for range m.Statements(context.Background(), log, from) {
			t.Error("a statement")
		}
		if most := 2 * size / 400; read.Load() > most || from > 40_000 && read.Load() > 0 {
			t.Errorf("from %d: %d octets were read, expected at most %d", from, read.Load(), most)
		}
	}
	read.Store(0)
	if n, err := length(m); n != 40_000 || err != nil {
		t.Errorf("%d copies, %v", n, err)
	}
	if read.Load() > size {
		t.Errorf("%d octets were read, expected at most %d", read.Load(), size)
	}
}

func length(c part.Content) (n int, err error) {
	for _, log := range c.Logs() {
		for _, err := range c.Copies(context.Background(), log, 0) {
			if err != nil {
				return n, err
			}
			n++
		}
	}
	return n, err
}

// TestBlockReads: of a long log, only the blocks from a sequence on are read.
func TestBlockReads(t *testing.T) {
	all, size, read := spread(t, 1, 20_000)
	log := all[0].Logs()[0]
	for _, from := range []uint64{1, 10_000, 19_999} {
		read.Store(0)
		n := 0
		for _, err := range all[0].Copies(context.Background(), log, from) {
			must.Do(t, err)
			n++
		}
		check.That(t, n == int(20_001-from), "from %d: %d copies", from, n)
		if most := size*int64(n)/20_000 + 100<<10; read.Load() > most {
			t.Errorf("from %d: %d octets were read, expected at most %d", from, read.Load(), most)
		}
	}
}

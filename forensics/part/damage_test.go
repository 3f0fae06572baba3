package part_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// opens returns the error of opening bytes as a part and of reading all of it.
func opens(b []byte, key *part.Key) error {
	f, err := part.Open(context.Background(), bytes.NewReader(b), int64(len(b)), key)
	if err != nil {
		return err
	}
	return readWhole(f)
}

func isDamaged(err error) bool {
	var damaged *part.Damaged
	return errors.As(err, &damaged)
}

func isOther(err error) bool {
	var other *part.OtherVersion
	return errors.As(err, &other)
}

// TestDamage: a part is refused if any byte of it is another one, is missing, or is
// there besides, except in its MAC.
func TestDamage(t *testing.T) {
	b := octets(t, ordinary(1, 2, 1, 12), nil)
	must.Do(t, opens(b, nil))
	mac := len(b) - part.TrailerSize + 32
	for i := range b {
		changed := bytes.Clone(b)
		changed[i] ^= 1
		err := opens(changed, nil)
		check.That(t, (err != nil) == (i < mac || i >= mac+32) && (err == nil || isDamaged(err) || isOther(err)),
			"octet %d was changed: %v", i, err)
		if err := opens(b[:i], nil); !isDamaged(err) && !isOther(err) {
			t.Errorf("cut to %d octets: %v", i, err)
		}
		longer := slices.Insert(bytes.Clone(b), i, 0)
		if err := opens(longer, nil); !isDamaged(err) && !isOther(err) {
			t.Errorf("an octet more at %d: %v", i, err)
		}
	}
	err := opens(append(bytes.Clone(b), 0), nil)
	check.That(t, isDamaged(err), "an octet more at the end: %v", err)
}

// TestFrames: frames that are not as Write puts them are refused, even if the digest is
// right.
func TestFrames(t *testing.T) {
	frames := part.Split(octets(t, ordinary(1, 2, 1, 2000), nil))
	must.Do(t, opens(part.Join(frames...), nil))
	for i := range frames {
		if err := opens(part.Join(slices.Insert(slices.Clone(frames), i, frames[i])...), nil); !isDamaged(err) {
			t.Errorf("frame %d, of kind %d, twice: %v", i, frames[i].Kind, err)
		}
		for _, at := range []int{i, i + 1} {
			empty := part.Frame{Kind: frames[i].Kind}
			if err := opens(part.Join(slices.Insert(slices.Clone(frames), at, empty)...), nil); !isDamaged(err) {
				t.Errorf("an empty frame of kind %d at %d: %v", frames[i].Kind, at, err)
			}
		}
		if i+1 < len(frames) {
			swapped := slices.Clone(frames)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			if err := opens(part.Join(swapped...), nil); !isDamaged(err) {
				t.Errorf("frames %d and %d, of kinds %d and %d, swapped: %v", i, i+1, frames[i].Kind, frames[i+1].Kind, err)
			}
		}
	}
	err := opens(part.Join(), nil)
	check.That(t, isDamaged(err), "no frames: %v", err)
	for _, kind := range []uint8{0, 10, 255} {
		err := opens(part.Join(append(slices.Clone(frames), part.Frame{Kind: kind})...), nil)
		check.That(t, isDamaged(err), "a frame of kind %d: %v", kind, err)
	}
}

// TestChanged: a file that changes after it was opened is noticed where it is read.
func TestChanged(t *testing.T) {
	b := octets(t, ordinary(1, 1, 1, 2000), nil)
	f := openFile(t, b)
	must.Do(t, readWhole(f))
	b[len(b)/2] ^= 1
	err := readWhole(f)
	check.That(t, isDamaged(err), "one octet is another one: %v", err)
}

// TestVersion: another file is no part.
func TestVersion(t *testing.T) {
	for _, b := range []string{"", "svc", "svc-verify/part/v2\n", "{}"} {
		err := opens([]byte(b), nil)
		check.That(t, isOther(err), "%q: %v", b, err)
	}
}

// TestOrder: contents that are out of order, or refer to something absent, are not written.
func TestOrder(t *testing.T) {
	tests := map[string]func(m *memory){
		"copies swapped":   func(m *memory) { c := m.copies[m.logs[0]]; c[3], c[4] = c[4], c[3] },
		"a copy twice":     func(m *memory) { c := m.copies[m.logs[0]]; c[3] = c[4] },
		"logs swapped":     func(m *memory) { slices.Reverse(m.logs) },
		"a log twice":      func(m *memory) { m.logs[1] = m.logs[0] },
		"no copies":        func(m *memory) { m.copies[m.logs[0]] = nil },
		"no arrivals":      func(m *memory) { m.copies[m.logs[0]][2].Arrivals = nil },
		"no such share":    func(m *memory) { m.copies[m.logs[0]][2].Arrivals[0].Share = 1 },
		"no such record":   func(m *memory) { m.copies[m.logs[0]][2].Arrivals[0].Record = 1 << 40 },
		"negative":         func(m *memory) { m.copies[m.logs[0]][2].Arrivals[0].Offset = -1 },
		"container":        func(m *memory) { m.copies[m.logs[0]][2].Arrivals[0].Container = 1 },
		"no judgement":     func(m *memory) { m.copies[m.logs[0]][2].Signed = 0 },
		"signature":        func(m *memory) { m.copies[m.logs[0]][2].Signed = 4 },
		"size":             func(m *memory) { m.copies[m.logs[0]][2].Size = -1 },
		"batches":          func(m *memory) { slices.Reverse(m.batches) },
		"batch of no log":  func(m *memory) { m.batches[0].Log.LogID = "node/z" },
		"share twice":      func(m *memory) { m.shares = append(m.shares, m.shares[0]) },
		"shares that meet": meet,
		"document nowhere": func(m *memory) { m.documents = []part.Document{{Kind: "bundle"}} },
	}
	for name, change := range tests {
		m := ordinary(1, 2, 1, 400)
		change(m)
		check.That(t, check.Err(part.Write(context.Background(), &bytes.Buffer{}, m, nil)) != nil, "%s: written", name)
	}
}

func meet(m *memory) {
	next := m.shares[0]
	next.Range.From, next.Range.To = next.Range.To, next.Range.To+1
	next.Size = next.Range.To
	m.shares = append(m.shares, next)
}

func newKey(t *testing.T, b byte) *part.Key {
	t.Helper()
	return must.Get(part.NewKey(bytes.Repeat([]byte{b}, part.LeastKey)))(t)
}

// TestKey: with a key, only parts that were made with it are believed. Without one, no
// MAC is looked at.
func TestKey(t *testing.T) {
	key, other := newKey(t, 1), newKey(t, 2)
	m := ordinary(1, 1, 1, 10)
	with, without := octets(t, m, key), octets(t, m, nil)
	check.That(t, !bytes.Equal(with, without) && bytes.Equal(framesOf(with), framesOf(without)),
		"the key changes something else than the MAC, or nothing")
	forged := bytes.Clone(with)
	forged[len(forged)-part.TrailerSize+40] ^= 1
	for name, test := range map[string]struct {
		part            []byte
		key             *part.Key
		refused, absent bool
	}{
		"the key":        {with, key, false, false},
		"another key":    {with, other, true, false},
		"no MAC":         {without, key, true, true},
		"another MAC":    {forged, key, true, false},
		"no key":         {with, nil, false, false},
		"no key, no MAC": {without, nil, false, false},
	} {
		f, err := part.Open(context.Background(), bytes.NewReader(test.part), int64(len(test.part)), test.key)
		var unproven *part.Unproven
		check.That(t, errors.As(err, &unproven) == test.refused && (!test.refused || unproven.Missing == test.absent),
			"%s: %v", name, err)
		if err == nil && f.Proven() != (test.key != nil) {
			t.Errorf("%s: proven: %t", name, f.Proven())
		}
	}
	f := openFile(t, with)
	if sum, err := part.Write(context.Background(), &bytes.Buffer{}, open(t, with), nil); sum != f.Digest() || err != nil {
		t.Errorf("the digest is %v when it is written and %v when it is read, %v", sum, f.Digest(), err)
	}
}

// TestReadKey: a key file has 32 to 4096 bytes, and only its owner can use it.
func TestReadKey(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		size int
		mode os.FileMode
		good bool
	}{
		"shortest":        {32, 0o600, true},
		"longest":         {4096, 0o400, true},
		"too short":       {31, 0o600, false},
		"too long":        {4097, 0o600, false},
		"others read it":  {32, 0o604, false},
		"the group reads": {32, 0o640, false},
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, make([]byte, test.size), test.mode))
		_, err := part.ReadKey(path)
		check.That(t, (err == nil) == test.good, "%s: %v", name, err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "none")} {
		check.That(t, check.Err(part.ReadKey(path)) != nil, "a key is read from %s", path)
	}
}

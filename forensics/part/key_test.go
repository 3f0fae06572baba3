package part_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

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
	f := open(t, with)
	if sum, err := part.Write(context.Background(), &bytes.Buffer{}, f, nil); sum != f.Digest() || err != nil {
		t.Errorf("the digest is %v when it is written and %v when it is read, %v", sum, f.Digest(), err)
	}
}

// TestReadKey: a key file has 32 to 4096 octets, and only its owner can use it.
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
		if _, err := part.ReadKey(path); (err == nil) != test.good {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "none")} {
		check.That(t, check.Err(part.ReadKey(path)) != nil, "a key is read from %s", path)
	}
}

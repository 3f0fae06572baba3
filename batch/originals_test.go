package batch

import (
	"crypto/sha256"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// TestOriginals: whatever hashes meet, the first entry of each content is found.
func TestOriginals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := newOriginals()
		if hashes := rapid.Uint64Range(0, 4).Draw(t, "hashes"); hashes > 0 {
			o.hash = func(digest []byte) uint64 { return uint64(digest[0]) % hashes }
		}
		var digests [][sha256.Size]byte
		first := map[[sha256.Size]byte]uint32{}
		for i, content := range rapid.SliceOf(rapid.ByteRange(0, 9)).Draw(t, "contents") {
			digest := sha256.Sum256([]byte{content})
			if _, known := first[digest]; !known {
				first[digest] = uint32(i)
			}
			got, err := o.originalOf(digest, uint32(i), func(at uint32) ([sha256.Size]byte, error) {
				return digests[at],
					nil
			})
			must.That(t, err == nil && got == first[digest],
				"entry %d: the first is %d, want %d; %v", i, got, first[digest], err)
			digests = append(digests, digest)
		}
	})
}

// TestOriginalsUnknown: a digest that cannot be read is an error.
func TestOriginalsUnknown(t *testing.T) {
	o, gone := newOriginals(), errors.New("gone")
	none := func(uint32) ([sha256.Size]byte, error) { return [sha256.Size]byte{}, gone }
	i, err := o.originalOf([sha256.Size]byte{1}, 0, none)
	check.That(t, i == 0 && err == nil, "%d, %v", i, err)
	if _, err := o.originalOf([sha256.Size]byte{1}, 1, none); !errors.Is(err, gone) {
		t.Error(err)
	}
}

// A fault of the program costs the entry that it was in.
func TestFault(t *testing.T) {
	x := (&run{}).examineEntry(entry.Entry{Name: "a.json"}) // there is no session
	check.That(t, x.record.Verdict == outcome.Unreadable && x.record.Name == "a.json" && x.facts == nil, "%+v", x.record)
}

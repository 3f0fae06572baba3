package codec_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var words = []string{"", "verified", "rejected"}

// record has a value of each kind.
type record struct {
	Is, Was, Third bool
	Text, Word     string
	Small          int
	Large          uint64
	Times          []int64
	Sum            [3]byte
}

func (r *record) pack(c *codec.Octets) {
	c.Flags(&r.Is, &r.Was)
	c.Text(&r.Text)
	codec.Word(c, words, &r.Word)
	codec.Ints(c, &r.Small)
	codec.Int(c, &r.Large)
	codec.List(c, &r.Times, func(n *int64) { codec.Int(c, n) })
	c.Digest(r.Sum[:])
	c.Bool(&r.Third)
}

func written(r record) []byte {
	var c codec.Octets
	c.Write([]byte("before"))
	r.pack(&c)
	return c.Bytes()[len("before"):]
}

func read(b []byte) (r record, err error) {
	var c codec.Octets
	c.Read(b)
	r.pack(&c)
	return r, c.End()
}

// TestBack: written values are read back, and bytes that are cut or too long are not read.
func TestBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := record{Is: rapid.Bool().Draw(t, "is"), Was: rapid.Bool().Draw(t, "was"), Third: rapid.Bool().Draw(t, "third"),
			Text: rapid.String().Draw(t, "text"), Word: rapid.SampledFrom(words).Draw(t, "word"),
			Small: rapid.Int().Draw(t, "small"), Large: rapid.Uint64().Draw(t, "large"), Sum: [3]byte{1, 2, 3}}
		for range rapid.IntRange(0, 70).Draw(t, "times") {
			want.Times = append(want.Times, rapid.Int64().Draw(t, "time"))
		}
		b := written(want)
		got, err := read(b)
		must.That(t, err == nil && cmp.Diff(want, got) == "", "%v\n%s", err, cmp.Diff(want, got))
		_, err = read(append(b, 0))
		check.That(t, errors.Is(err, codec.ErrForm), "an octet more is read")
		for n := range b {
			_, err := read(b[:n])
			check.That(t, errors.Is(err, codec.ErrForm), "%d of %d octets are read", n, len(b))
		}
	})
}

// TestForged: numbers and places beyond the data are not read.
func TestForged(t *testing.T) {
	for name, b := range map[string][]byte{
		"a place beyond the words": {0, 0, 3, 0, 0, 0, 1, 2, 3, 0},
		"a negative length":        {0, 0, 0, 0, 0, 1, 1, 2, 3, 0},
		"a list beyond the end":    {0, 0, 0, 0, 0, 100, 1, 2, 3, 0},
		"a text beyond the end":    {0, 100, 0, 0, 0, 0, 1, 2, 3, 0},
		"an endless number":        {0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
	} {
		_, err := read(b)
		check.That(t, err != nil, "%s is read", name)
	}
	got, err := read([]byte{0, 0, 0, 0, 0, 0, 1, 2, 3, 0})
	check.That(t, err == nil && got.Sum == [3]byte{1, 2, 3}, "%+v, %v", got, err)
	r := record{Word: "another"}
	got, err = read(written(r))
	check.That(t, err == nil && got.Word == "", "%+v, %v", got, err)
}

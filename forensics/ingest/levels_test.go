package ingest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/shapes"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// tiles returns an error unless every byte of each level of a file is in exactly one range,
// with an answer and a description.
func tiles(x *Explained, size int) error {
	if len(x.Levels) == 0 || x.Levels[0].Path != "" || x.Levels[0].Octets != int64(size) {
		return fmt.Errorf("the first level is not the file: %+v", x.Levels)
	}
	for _, l := range x.Levels {
		at := int64(0)
		for _, r := range l.Ranges {
			if r.Offset != at || r.Length <= 0 || r.Answer.Rank() < 0 || r.Detail == "" ||
				r.Answer == Unread && l.whole && r.Code == "" || r.Answer == Evidence && r.Code != "" {
				return fmt.Errorf("%q: %+v behind %d", l.Path, r, at)
			}
			at = r.endOffset()
		}
		if at != l.Octets {
			return fmt.Errorf("%q: ranges up to %d of %d", l.Path, at, l.Octets)
		}
	}
	return nil
}

// TestLevelsTile: in every shape, whole or after one kind of damage, each byte of each level
// is in exactly one range.
func TestLevelsTile(t *testing.T) {
	dir := t.TempDir()
	log := shapes.Log{Time: time.Unix(1_772_442_000, 0).UTC(), Lines: journal(berlin, 12, 1)}
	for i, line := range log.Lines {
		log.Lines[i] = bytes.TrimSpace(line)
	}
	r := rand.New(rand.NewPCG(3, 9))
	for i, shape := range shapes.All() {
		if i%chance.Sized(1, 20) != 0 {
			continue
		}
		files := shape.Write(log)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			content := files[name]
			at := r.IntN(len(content) + 1)
			ways := [][]byte{
				content, content[:at],
				slices.Concat(content[:at], content[min(len(content), at+30):]),
				slices.Concat(content[:at], []byte("\x00\xff\n{\"a\":"), content[at:]),
				slices.Concat(content, content),
			}
			way := i / chance.Sized(1, 20) % len(ways)
			c := ways[way]
			x := explain(t, Options{}, write(t, dir, "evidence", c))
			if len(x) != 1 {
				continue // a case, or nothing
			}
			if err := tiles(x[0], len(c)); err != nil && x[0].Code == "" {
				t.Errorf("%s, %s, way %d at %d: %v", shape.Name, filepath.Base(name), way, at, err)
			}
		}
	}
}

// TestOverlay compares ranges with a look at every byte.
func TestOverlay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 40
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Range {
			return Range{Offset: rapid.Int64Range(0, size-1).Draw(t, "at"), Length: rapid.Int64Range(1, 20).Draw(t, "n"),
				Answer: rapid.SampledFrom([]Answer{Evidence, Understood, Unread}).Draw(t, "answer")}
		}), 0, 12).Draw(t, "ranges")
		rest := Range{Length: size, Answer: Understood, Detail: "rest"}
		want := make([]Range, size)
		for at := range want {
			want[at] = rest
			for _, r := range all {
				if int64(at) < r.Offset || int64(at) >= r.endOffset() {
					continue
				}
				if w := want[at]; w.Detail != "" || r.Length < w.Length ||
					r.Length == w.Length && r.Answer.Rank() < w.Answer.Rank() {
					want[at] = r
				}
			}
		}
		at := int64(0)
		for _, r := range withoutOverlaps(all, rest) {
			must.That(t, r.Offset == at, "%+v behind %d", r, at)
			for ; at < r.endOffset(); at++ {
				w := want[at]
				must.That(t, r.Answer == w.Answer && r.Detail == w.Detail, "octet %d: %+v, want %+v", at, r, w)
			}
		}
		must.That(t, at == size, "%d octets of %d", at, size)
	})
}

// TestLevelsSay: the ranges of an archive and its members have the answers, and the command
// that helps.
func TestLevelsSay(t *testing.T) {
	event := string(journal(berlin, 1, 1)[0])
	text := "words of another service\n" + strings.TrimSpace(event) + "\nand more words\n"
	x := explain(t, Options{}, write(t, t.TempDir(), "a", []byte(text)))[0]
	var got []string
	for _, r := range x.Levels[0].Ranges {
		got = append(got, string(r.Answer))
	}
	if !slices.Equal(got, []string{"understood", "evidence", "understood"}) {
		t.Errorf("%q of %+v", got, x.Levels[0])
	}
	x = explain(t, Options{}, write(t, t.TempDir(), "a", must.Gzip([]byte("LZIP\x01\x0c\x00\x01"))))[0]
	if len(x.Levels) != 2 || x.Levels[0].Ranges[0].Answer != Understood || x.Levels[1].Path != "gzip" ||
		x.Levels[1].Ranges[0].Answer != Unread || x.Levels[1].Ranges[0].Help != "lzip -dc FILE" {
		t.Errorf("%+v", x.Levels)
	}
}

// TestLevelsAreBounded: a level with more ranges than are kept has one answer for
// several, the worst of theirs, and still covers all bytes.
func TestLevelsAreBounded(t *testing.T) {
	l := &Level{Octets: 100_000, whole: true, most: fewRanges}
	for at := range int64(10_000) {
		r := Range{Offset: at * 10, Length: 5, Answer: Understood, Detail: "x"}
		if at == 7_777 {
			r.Answer, r.Code = Unread, "source.limit"
		}
		l.addRange(r)
	}
	l.tileRanges(false)
	err := tiles(&Explained{Levels: []*Level{l}}, 100_000)
	check.That(t, len(l.Ranges) <= 2*fewRanges, "%d ranges, %v", len(l.Ranges), err)
	i := slices.IndexFunc(l.Ranges, func(r Range) bool { return r.Offset <= 77_770 && r.endOffset() > 77_770 })
	check.That(t, i >= 0 && l.Ranges[i].Answer == Unread, "%+v", l.Ranges)
}

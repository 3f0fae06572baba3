package bag

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/must"
)

// FuzzManifest reads a manifest, writes it, and reads the same again.
func FuzzManifest(f *testing.F) {
	digest := strings.Repeat("0a", 64)
	for _, s := range []string{digest + "  data/a\n",
		digest + " *data/100%25 \r\n\r" + digest + "\tb%0Ac", "\ufeff", digest} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var all []listed
		if readManifest(bytes.NewReader(text), algorithms[0], func(l listed) { all = append(all, l) }) != nil {
			return
		}
		var again bytes.Buffer
		for _, l := range all {
			must.Do(t, writeLine(&again, []byte(l.digest), unescaped(l.name, "1.0")))
		}
		i := 0
		err := readManifest(&again, algorithms[0], func(l listed) {
			if want := unescaped(all[i].name, "1.0"); unescaped(l.name, "1.0") != want || l.digest != all[i].digest {
				// Space before a name is not part of it.
				t.Errorf("%q became %q", want, l.name)
			}
			i++
		})
		if err != nil || i != len(all) {
			t.Errorf("%d of %d lines: %v", i, len(all), err)
		}
	})
}

// FuzzInfo reads bag-info.txt, writes it, and reads the same again.
func FuzzInfo(f *testing.F) {
	for _, s := range []string{"A: b\n c\nA:\r\n", " x", "a\n", "Payload-Oxum: 1.2", ":", "\ta: b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tags, err := readInfo(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, tag := range tags {
			_, _ = parseOxum(tag.Value)
		}
		var b bytes.Buffer
		must.Do(t, writeInfo(&b, tags))
		again, err := readInfo(&b)
		if err != nil || !slices.Equal(tags, again) {
			t.Errorf("%q became %q: %v", tags, again, err)
		}
	})
}

// FuzzTags reads the other tag files, which must end.
func FuzzTags(f *testing.F) {
	f.Add([]byte("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"))
	f.Add([]byte("http://x - data/a\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if d, err := readDeclaration(bytes.NewReader(text)); err == nil && bytes.Count(text, []byte("\n")) > 2 {
			t.Errorf("%q is read as %+v", text, d)
		}
		n := 0
		if err := readFetch(bytes.NewReader(text), func(listed) { n++ }); err == nil && n > bytes.Count(text, nil) {
			t.Error(n)
		}
	})
}

// FuzzTar checks any bytes as an archive.
func FuzzTar(f *testing.F) {
	f.Add([]byte("no archive"))
	f.Add(bytes.Repeat([]byte{0}, 1024))
	f.Fuzz(func(t *testing.T, archive []byte) {
		if _, err := CheckTar(context.Background(), bytes.NewReader(archive), int64(len(archive)), Options{}); err != nil {
			t.Error(err)
		}
	})
}

// TestNames writes and reads any names: a manifest keeps them, and a name that is
// not refused stays below its folder.
func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.StringOf(rapid.RuneFrom([]rune("a%025dDA\r\n/.~\\: *ü"))), rapid.String()).Draw(t, "name")
		got := unescaped(escaped(name), "1.0")
		must.That(t, got == name, "%q became %q", name, got)
		must.That(t, !strings.ContainsAny(escaped(name), "\r\n"), "%q", escaped(name))
		must.That(t, pathFault(payloadFolder+name) != "" || filepath.IsLocal(name),
			"%q leads out of its folder", name)
	})
}

// TestFolded: neither the case of letters nor the form of Unicode counts, whatever
// marks a name has.
func TestFolded(t *testing.T) {
	marks := []rune("aAüÜ\u0301\u0308\u0323\u034f\u0315\u1e69ßſKkÅ가각ᄀ\u11a8")
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.StringOfN(rapid.RuneFrom(marks), 0, 200, -1), rapid.String()).Draw(t, "name")
		apart := norm.NFD.String(name)
		if want := folded(name); folded(apart) != want || folded(strings.Map(unicode.SimpleFold, apart)) != want {
			t.Fatalf("%q", name)
		}
	})
}

// TestLongLines: a line is bounded, whatever it has.
func TestLongLines(t *testing.T) {
	long := io.LimitReader(endless{}, 1<<30)
	if err := readManifest(long, algorithms[0], func(listed) {}); err == nil {
		t.Error("a line without end was read")
	}
}

// TestMostLines: the lines of a tag file are bounded.
func TestMostLines(t *testing.T) {
	n := 0
	err := lines(strings.NewReader(strings.Repeat("\n", maxFiles+10)), func(int, string) error { n++; return nil })
	if err == nil || n != maxFiles {
		t.Errorf("%d lines: %v", n, err)
	}
}

// endless is a line that does not end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

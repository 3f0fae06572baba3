package read_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/must"
)

// packers pack a text, each in one way.
var packers = map[string]func(string) string{
	"gzip":         must.Gzip[string],
	"zstd":         zstded,
	"xz":           xzed,
	"zlib":         zlibbed,
	"snappy":       snapped,
	"tar":          func(s string) string { return must.Tar("logs/a", s) },
	"zip":          func(s string) string { return zipOf(file{"a", s, false, false}) },
	"zip, stored":  func(s string) string { return zipOf(file{"a", s, true, false}) },
	"zip, sized":   func(s string) string { return zipOf(file{"a", s, true, true}) },
	"concatenated": func(s string) string { half := len(s) / 2; return zstded(s[:half]) + zstded(s[half:]) },
}

// drawPacked packs the bodies in a few ways, one within the other.
func drawPacked(t *rapid.T, bodies [][]byte) string {
	var names []string
	for name := range packers {
		names = append(names, name)
	}
	slices.Sort(names)
	dump := string(bytes.Join(bodies, []byte("\n"))) + "\n"
	for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 1, 6).Draw(t, "packers") {
		dump = packers[name](dump)
	}
	return dump
}

// TestNested: whatever is packed in whatever, exactly the bodies come out. If the dump is cut,
// the first ones come out, and something is reported. Whatever is altered, all of it is
// accounted for, and no body comes out more often than it was packed.
func TestNested(t *testing.T) {
	bodies := dumps.Bodies(5)
	rapid.Check(t, func(t *rapid.T) {
		dump := drawPacked(t, bodies)
		a := sound(t, []byte(dump), read.Options{})
		if got := a.Bodies(); !slices.EqualFunc(got, bodies, bytes.Equal) || len(a.Skips) > 0 {
			t.Fatalf("%d bodies of %d; %+v", len(got), len(bodies), a.Skips)
		}
		at := rapid.IntRange(1, len(dump)-1).Draw(t, "cut")
		a = sound(t, []byte(dump[:at]), read.Options{})
		got := a.Bodies()
		must.That(t, len(got) <= len(bodies), "cut at %d: %d bodies", at, len(got))
		for i, b := range got {
			must.That(t, bytes.Equal(b, bodies[i]), "cut at %d: body %d is %q", at, i, b)
		}
		must.That(t, len(got) >= len(bodies) || len(a.Skips) != 0,
			"cut at %d of %d: %d bodies, and nothing is said", at, len(dump), len(got))
		if a = sound(t, damaged(t, []byte(dump)), read.Options{}); len(a.Records) > 4*len(bodies) {
			t.Fatalf("damaged: %d records", len(a.Records))
		}
	})
}

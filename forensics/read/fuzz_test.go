package read_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/must"
)

// FuzzRead wants that all of every input is accounted for.
func FuzzRead(f *testing.F) {
	for _, format := range dumps.Formats() {
		if format.Text != 0 {
			f.Add(format.Write(dumps.Bodies(2), dumps.Options{Size: 1, Batches: []string{batchID}}))
		}
	}
	fixtures, err := filepath.Glob("testdata/packed/*.base64")
	must.That(f, err == nil && len(fixtures) != 0, "no fixtures %v", err)
	for _, name := range fixtures {
		f.Add([]byte(packed(f, strings.TrimSuffix(filepath.Base(name), ".base64"))))
	}
	for _, pack := range packers {
		f.Add([]byte(pack(journalOf(0, 2))))
	}
	f.Fuzz(func(t *testing.T, b []byte) { sound(t, b, read.Options{}) })
}

// FuzzBlocks checks that no text stops its reader, wherever its blocks end, and that all
// reported places are in it.
func FuzzBlocks(f *testing.F) {
	for _, wrap := range wrappings {
		f.Add([]byte(wrap(genuineEvents(3))), uint16(700))
	}
	for _, j := range joinings {
		dump, _ := folded(j.before+string(bytes.Join(genuineEvents(3), []byte(j.between))), 20, nil)
		f.Add([]byte(dump), uint16(1100))
	}
	f.Fuzz(func(t *testing.T, b []byte, first uint16) {
		var found Found
		size := 1 + int(first)
		err := read.ReadInBlocks(context.Background(), bytes.NewReader(b), read.Options{}, &found, size, 4*size)
		must.Do(t, errors.Join(err, noFault(&found)))
		for _, s := range found.Skips {
			if p := s.Place; p.Container == "" && (p.Offset < 0 || p.Length < 0 || p.Offset+p.Length > int64(len(b))) {
				t.Fatalf("%+v of %d octets", s, len(b))
			}
		}
	})
}

package read_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
)

// FuzzRead wants that all of every input is accounted for.
func FuzzRead(f *testing.F) {
	for _, format := range dumps.Formats() {
		if format.Text != 0 {
			f.Add(format.Write(dumps.Bodies(2), dumps.Options{Size: 1, Batches: []string{batchID}}))
		}
	}
	fixtures, err := filepath.Glob("testdata/packed/*.base64")
	if err != nil || len(fixtures) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, name := range fixtures {
		f.Add([]byte(packed(f, strings.TrimSuffix(filepath.Base(name), ".base64"))))
	}
	for _, pack := range packers {
		f.Add([]byte(pack(journalOf(0, 2))))
	}
	f.Fuzz(func(t *testing.T, b []byte) { sound(t, b, read.Options{}) })
}

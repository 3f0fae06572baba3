package read_test

import (
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
	f.Fuzz(func(t *testing.T, b []byte) { sound(t, b, read.Options{}) })
}

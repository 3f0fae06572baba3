package read_test

import (
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/read/readtest"
)

// FuzzRead wants that all of every input is accounted for.
func FuzzRead(f *testing.F) {
	for _, format := range readtest.Formats() {
		if format.Text != 0 {
			f.Add(format.Write(readtest.Bodies(2), readtest.Options{Size: 1, Batches: []string{batchID}}))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { sound(t, b, read.Options{}) })
}

//go:build heavy

package read_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
)

func TestBombsOfXZ(t *testing.T) {
	zeros := strings.Repeat("\x00", read.FreeExpansion+1<<20)
	for name, dump := range map[string]string{"xz": xzed(zeros), "xz in gzip": zipped(xzed(zeros))} {
		found := find(t, []byte(dump), read.Options{Limits: read.Limits{Expansion: 1}})
		if !slices.Contains(found.Codes(), finding.SourceLimit) {
			t.Errorf("%s: %v", name, found.Codes())
		}
	}
	journal := string(bytes.Join(dumps.Bodies(40), []byte("\n"))) + "\n"
	found := find(t, []byte(xzed(journal)), read.Options{})
	if len(found.Records) != 40 || len(found.Skips) > 0 {
		t.Errorf("%d records, %+v", len(found.Records), found.Skips)
	}
}

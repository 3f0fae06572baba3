package read_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/must"
)

// A fault of the program is a span that was not read, from where reading stopped to the end;
// earlier reports stay.
func TestFault(t *testing.T) {
	journal := append(bytes.Join(dumps.Bodies(5), []byte("\n")), '\n')
	for name, dump := range map[string]string{"lines": string(journal), "gzip": must.Gzip(string(journal)),
		"tar": must.Tar("journal", string(journal))} {
		units := 0
		var found Found
		err := read.ReadUnits(context.Background(), strings.NewReader(dump), read.Options{}, &found,
			func(string, int64, int64) {
				if units++; units == 3 {
					panic("slice bounds out of range")
				}
			})
		if err != nil || len(found.Records) != 3 || len(found.Skips) != 1 {
			t.Fatalf("%s: %v, %d records, skips %+v", name, err, len(found.Records), found.Skips)
		}
		skip := found.Skips[0]
		end := skip.Place.Offset + skip.Place.Length
		if skip.Code != finding.SourceUnreadable || skip.Place.Container != "" || end != int64(len(dump)) ||
			!strings.Contains(skip.Detail, "slice bounds out of range, in ") || !strings.Contains(skip.Detail, ".go:") {
			t.Errorf("%s: %+v", name, skip)
		}
	}
}

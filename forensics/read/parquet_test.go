package read_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/must"
)

// parquetOf is a file of 20 rows that pyarrow wrote; the body of row 7 is null.
func parquetOf(t testing.TB, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join("testdata", "tables", name+".parquet")))(t)
}

func TestParquet(t *testing.T) {
	for container, dump := range map[string][]byte{"parquet": parquetOf(t, "zstd"),
		"a!parquet": []byte(tarOf("a", string(parquetOf(t, "snappy"))))} {
		found := find(t, dump, read.Options{})
		if len(found.Records) != 19 || !slices.Equal(found.Codes(), []finding.Code{finding.SourceNoRecord}) {
			t.Fatalf("%d records, %+v", len(found.Records), found.Skips)
		}
		for n, r := range found.Records {
			i := n
			if n >= 7 {
				i++
			}
			batches := 1
			if i == 3 {
				batches = 0
			}
			p := r.Place
			if string(r.Body) != avroBody(i) || len(r.Batches) != batches || r.ExportTime == 0 || p.Container != container ||
				p.Offset != int64(i) || p.Length != 1 {
				t.Errorf("%d: %+v", i, r)
			}
		}
	}
}

// A file without its footer says so, and its pages are searched.
func TestCutParquet(t *testing.T) {
	whole := parquetOf(t, "none")
	whole = whole[:len(whole)-1]
	found := find(t, whole, read.Options{})
	if !slices.Equal(found.Codes(), []finding.Code{finding.SourceTruncated, finding.SourceUnknownFormat}) ||
		len(found.Records) > 0 {
		t.Errorf("%+v", found)
	}
	event := dumps.Bodies(1)[0]
	found = find(t, slices.Concat(whole[:500], event, whole[500:]), read.Options{})
	if len(found.Records) != 1 || !bytes.Equal(found.Records[0].Body, event) ||
		found.Codes()[0] != finding.SourceTruncated {
		t.Errorf("%+v", found)
	}
}

// FuzzParquet wants that all of every file is accounted for.
func FuzzParquet(f *testing.F) {
	for _, name := range []string{"none", "delta", "lz4"} {
		f.Add(parquetOf(f, name)[4:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		sound(t, append([]byte("PAR1"), b...), read.Options{Limits: read.Limits{Unit: 1 << 16}})
	})
}

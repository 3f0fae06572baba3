//go:build heavy

package ingest

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestMemoryOfARequest: until it is in the case, a request holds a few times its body in
// memory, whatever is in it.
func TestMemoryOfARequest(t *testing.T) {
	const size, most, free = 1 << 20, 6, 1 << 20
	inJSON := func(record string) []byte {
		list := bytes.Repeat([]byte(record+","), size/(len(record)+1))
		return append(append([]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[`), list...), record+`]}]}]}`...)
	}
	empty, _ := emptyRecords(nil, size)
	for name, test := range map[string]struct {
		format read.Format
		body   []byte
	}{
		"empty records":         {read.OTLPProto, empty},
		"empty records in JSON": {read.OTLPJSON, inJSON(`{}`)},
		"short bodies":          {read.OTLPProto, export(slicesOf([]byte("\x2a\x03\x0a\x01x"), size/7)...)},
		"short bodies in JSON":  {read.OTLPJSON, inJSON(`{"body":{"stringValue":"x"}}`)},
		"bodies that could be": {read.OTLPJSON, inJSON(`{"body":{"stringValue":"` +
			string(bytes.Repeat([]byte("x"), leastEvent)) + `"}}`)},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := ReadRequest(t.Context(), headOf(test.format, 1), test.body)
		must.That(t, err == nil, "%s: %v", name, err)
		runtime.GC()
		runtime.ReadMemStats(&after)
		held := int64(after.HeapAlloc) - int64(before.HeapAlloc)
		t.Logf("%-24s %.2f octets held for each", name, float64(held)/float64(len(test.body)))
		check.That(t, held <= int64(most*len(test.body)+free),
			"%s: %d octets held for a body of %d", name, held, len(test.body))
		runtime.KeepAlive(r)
	}
}

func slicesOf(one []byte, n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = one
	}
	return all
}

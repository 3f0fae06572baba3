package ijson

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"

	"github.com/gowebpki/jcs"
)

// eventDocument is a canonical document of 866 bytes, in shape and size like
// one audit event of a journal.
func eventDocument() []byte {
	hex := func(digit string) string { return strings.Repeat(digit, 64) }
	doc := fmt.Sprintf(`{"body":{"data":{"approval_sha256":"%s","decision":"approve","reason":"","retries":0},`+
		`"log_id":"node/node-eu-west-1a","occurred_at":"2026-03-01T12:34:56.789Z","protocol":"svc.audit-event.v1",`+
		`"salt":"AAAAAAAAAAAAAAAAAAAAAA","sequence":123456,"tenant_id":"tenant-001","transaction_id":"tx-000000000042",`+
		`"type":"approval.signed"},"hash":"%s","key_id":"node-eu-west-1a/2","previous_hash":"%s","signature":"%s","skip_hash":"%s"}`,
		hex("a"), hex("b"), hex("c"), strings.Repeat("S", 86), hex("d"))
	padding := strings.Repeat("x", 866-len(doc))
	return []byte(strings.Replace(doc, `"reason":""`, `"reason":"`+padding+`"`, 1))
}

func BenchmarkEvent(b *testing.B) {
	doc := eventDocument()
	must.That(b, IsCanonical(doc) && len(doc) == 866, "the document of %d bytes is not canonical or not of 866 bytes",
		len(doc))
	b.Run("IsCanonical", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		b.ReportAllocs()
		for b.Loop() {
			must.That(b, IsCanonical(doc), "not canonical")
		}
	})
	b.Run("Parse", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		b.ReportAllocs()
		for b.Loop() {
			_, fault := Parse(doc)
			must.That(b, fault == nil, "%v", fault)
		}
	})
	b.Run("Transform", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		b.ReportAllocs()
		for b.Loop() {
			got, err := jcs.Transform(doc)
			must.That(b, err == nil && bytes.Equal(got, doc), "Transform changes a canonical document %v", err)
		}
	})
}

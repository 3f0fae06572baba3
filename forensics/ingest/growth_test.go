package ingest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/must"
)

// The bound on the size of a case: so many bytes for each byte of the evidence, compressed and
// not, and something for each file.
const (
	mostGrowth  = 10
	growthFree  = 160 << 10
	emptyCase   = 640 << 10 // the tables and indexes of a case without evidence, and the first page of each that is used
	growthInput = 128 << 10
)

// worst makes about so many bytes of evidence, and returns how many they are with all output
// of decompression.
type worst func(r *rand.Rand, size int) (b []byte, octets int)

// repeated is evidence of one piece again and again.
func repeated(piece func(r *rand.Rand, i int) []byte) worst {
	return func(r *rand.Rand, size int) ([]byte, int) {
		var b []byte
		for i := 0; len(b) < size; i++ {
			b = append(b, piece(r, i)...)
		}
		return b, len(b)
	}
}

func text(s string) worst {
	return repeated(func(*rand.Rand, int) []byte { return []byte(s) })
}

// compressed is evidence in gzip.
func compressed(inner worst) worst {
	return func(r *rand.Rand, size int) ([]byte, int) {
		raw, octets := inner(r, size)
		b := must.Gzip(raw)
		return b, len(b) + octets
	}
}

// archived is an archive of members that are each as short as can be, with names
// of a length.
func archived(name, levels int) worst {
	return func(r *rand.Rand, size int) ([]byte, int) {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := 0; b.Len() < size; i++ {
			content := []byte("{}")
			if levels > 1 {
				content, _ = archived(name, levels-1)(r, 4096)
			}
			h := &tar.Header{Name: fmt.Sprintf("%d%s", i, strings.Repeat("n", name)), Size: int64(len(content)), Mode: 0o600}
			must.Have(0, w.WriteHeader(h))
			w.Write(content)
		}
		w.Close()
		return b.Bytes(), b.Len()
	}
}

// export is a request in protobuf of these log records.
func export(records ...[]byte) []byte {
	var all []byte
	for _, r := range records {
		all = protowire.AppendBytes(protowire.AppendTag(all, 2, protowire.BytesType), r)
	}
	scope := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), all)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), scope)
}

func emptyRecords(_ *rand.Rand, size int) ([]byte, int) {
	b := export(make([][]byte, size/2)...)
	return b, len(b)
}

// oneEvent is the shortest event that there is.
func oneEvent(sequence int) []byte {
	return []byte(strings.Replace(string(journal("node/a", 1, 1)[0]), `"sequence":1,`,
		fmt.Sprintf(`"sequence":%d,`, sequence), 1))
}

// underBatches is an event under as many batch ids as one record may have, always
// others.
func underBatches(most int, event func(i int) []byte) worst {
	return repeated(func(r *rand.Rand, i int) []byte {
		ids := make([]string, most)
		for k := range ids {
			ids[k] = fmt.Sprintf("%0*d", 200, r.Uint64())
		}
		if i > 0 { // the first has the long ones, the others one more
			ids = append(ids[:1], fmt.Sprint(i))
		}
		return batched(strings.Join(ids, ";"), event(i))
	})
}

// within is a text that is repeated, between two others.
func within(before, unit, after string) worst {
	return func(r *rand.Rand, n int) ([]byte, int) {
		b, _ := text(unit)(r, n)
		return slices.Concat([]byte(before), b, []byte(after)), n
	}
}

// worsts are the ways to make much of little, as far as they are known.
func worsts() map[string]worst {
	envelope := repeated(func(_ *rand.Rand, i int) []byte {
		return fmt.Appendf(nil, `{"key_id":%d,"signature":1,"statement":1}`, i)
	})
	zeros := must.Have(zstd.NewWriter(nil))
	frame := zeros.EncodeAll(nil, nil)
	same := func(int) []byte { return oneEvent(1) }
	return map[string]worst{
		"values on one line":       text(`{}{}`),
		"values on lines":          text("{}\n"),
		"names on lines":           repeated(func(_ *rand.Rand, i int) []byte { return fmt.Appendf(nil, "{\"%x\":1}\n", i) }),
		"strings":                  text(`""`),
		"elements":                 within("[", "{},", ""),
		"values and garbage":       text("{} x\n"),
		"values and other garbage": text("{} x\n[] y\n\"\xff\"\n{\"a\":1,\"a\":2}\n"),
		"torn lines":               text("{\"abc\n"),
		"spaces":                   within("{}", " ", ""),
		"bulk actions":             text("{\"index\":{}}\n{\"delete\":{}}\n"),
		"hits":                     within(`{"hits":{"hits":[`, "{},", ""),
		"records in JSON":          within(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[`, "{},", ""),
		"records in whole JSON":    within(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[`, "{},", "{}]}]}]}"),
		"records":                  emptyRecords,
		"records in gzip":          compressed(emptyRecords),
		"resources":                text("\n\x00"),
		"records with other bodies": repeated(func(_ *rand.Rand, i int) []byte {
			return export(fmt.Appendf([]byte("\x2a\x09\x0a\x07"), "%07d", i))
		}),
		"records with two bodies": repeated(func(*rand.Rand, int) []byte { return export([]byte("\x2a\x00\x2a\x00")) }),
		"kafka":                   text("{\"topic\":1,\"partition\":1,\"offset\":1,\"payload\":\"{}\"}\n"),
		"loki":                    text("{\"labels\":1,\"line\":\"\"}\n"),
		"heads of gzip":           text("\x1f\x8b\x08"),
		"whole heads of gzip":     text("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00"),
		"members of gzip":         repeated(func(*rand.Rand, int) []byte { return []byte(must.Gzip("")) }),
		"gzip in gzip":            compressed(compressed(text("\x1f\x8b\x08"))),
		"frames of zstd":          repeated(func(*rand.Rand, int) []byte { return frame }),
		"damaged frames of zstd":  text("\x28\xb5\x2f\xfd"),
		"lengths":                 within("", "\x00\x00\x00\x02\x0a\x00", ""),
		"no lengths":              within("\x00\x00\x00\x02\x0a\x00", "\x00\x00\x00\x00", ""),
		"requests":                text("POST / HTTP/1.1\n\n"),
		"requests with a body":    text("POST / HTTP/1.1\ncontent-length:2\n\n{}"),
		"requests with a batch": repeated(func(_ *rand.Rand, i int) []byte {
			return fmt.Appendf(nil, "POST / HTTP/1.1\ncontent-length:2\n%s:%d\n\n{}", read.BatchHeader, i)
		}),
		"members of tar":           archived(1, 1),
		"members of zip":           text("PK\x03\x04\x14\x00\x00\x00\x00\x00" + zeroes(16) + "\x01\x00\x00\x00x"),
		"encrypted members of zip": text("PK\x03\x04\x14\x00\x01\x00\x00\x00" + zeroes(16) + "\x01\x00\x00\x00x"),
		"an absurd directory":      text("PK\x01\x02" + zeroes(24) + "\x01\x00" + zeroes(16) + "x"),
		"ends of zip":              text("PK\x05\x06" + strings.Repeat("\x00", 18)),
		"names that climb":         text(fmt.Sprintf("070707%012d100600%035d00000400000000000../\x00", 0, 0)),
		"heads of bzip2":           text("BZh91AY&SY"),
		"heads of xz":              text("\xfd7zXZ\x00\x00\x00\xff\x12\xd9\x41"),
		"heads of lz4":             text("\x04\x22\x4d\x18"),
		"heads of the old lz4":     text("\x02\x21\x4c\x18"),
		"chunks of snappy":         text("\xff\x06\x00\x00sNaPpY\x01\x05\x00\x00abcd{"),
		"heads of ar":              text("!<arch>\n"),
		"long names":               archived(3000, 1),
		"long names in long names": archived(600, 4),
		"documents":                envelope,
		"the same document":        text(`{"key_id":1,"signature":1,"statement":1}`),
		"the same event":           repeated(func(*rand.Rand, int) []byte { return append(oneEvent(1), '\n') }),
		"copies of one event": repeated(func(_ *rand.Rand, i int) []byte {
			return append(bytes.Replace(oneEvent(1), []byte(`"nonce":`), fmt.Appendf(nil, `"nonce":%d`, 1+i%1000), 1), '\n')
		}),
		"events":           repeated(func(_ *rand.Rand, i int) []byte { return append(oneEvent(i+1), '\n') }),
		"scattered events": repeated(func(r *rand.Rand, _ int) []byte { return append(oneEvent(1+int(r.Uint32())), '\n') }),
		"batches":          underBatches(8, same),
		"too many batches": underBatches(250, same),
		"a batch for each": repeated(func(r *rand.Rand, i int) []byte {
			return batched(fmt.Sprintf("%0200d;%d", r.Uint64(), i), oneEvent(1))
		}),
		"UTF-16": within("\xff\xfe", "{\x00}\x00", ""),
	}
}

func zeroes(n int) string { return strings.Repeat("\x00", n) }

// mixed changes between several kinds of evidence, a few bytes or a few thousand
// of each.
func mixed(kinds []worst) worst {
	return func(r *rand.Rand, size int) ([]byte, int) {
		var all []byte
		octets := 0
		for len(all) < size {
			b, n := kinds[r.IntN(len(kinds))](r, 1<<r.IntN(14))
			all, octets = append(all, b...), octets+n
			if r.IntN(2) == 0 {
				all, octets = append(all, '\n'), octets+1
			}
		}
		return all, octets
	}
}

// grown ingests a file and returns the size of the case.
func grown(t *testing.T, b []byte) int64 {
	t.Helper()
	dir := t.TempDir()
	path := newCase(t, Options{}, write(t, dir, "evidence", b))
	info := must.Get(os.Stat(path))(t)
	return info.Size()
}

func sortedKeys(all map[string]worst) []string { return slices.Sorted(maps.Keys(all)) }

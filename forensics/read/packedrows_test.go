package read_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
)

// bsonOf writes bodies as documents.
func bsonOf(bodies [][]byte) []byte {
	var out []byte
	for _, body := range bodies {
		text := func(name string, v []byte) []byte {
			b := binary.LittleEndian.AppendUint32(append([]byte("\x02"+name), 0), uint32(len(v)+1))
			return append(append(b, v...), 0)
		}
		members := slices.Concat([]byte("\x07_id\x00\xff\xfe34567890ab"), text("x-svc-edge-audit-batch", []byte(batchID)),
			text("line", body), []byte{0})
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(members)+4)), members...)
	}
	return out
}

// msgpackOf writes bodies as a collector keeps them.
func msgpackOf(bodies [][]byte) []byte {
	var out []byte
	for _, body := range bodies {
		out = append(out, "\x92\xd7\x00\x69\xa5\x54\x10\x00\x00\x00\x05\x82\xb6x-svc-edge-audit-batch\xd9\x40"+batchID+
			"\xa3log\xc5"...)
		out = append(binary.BigEndian.AppendUint16(out, uint16(len(body))), body...)
	}
	return out
}

func TestPackedRows(t *testing.T) {
	bodies := dumps.Bodies(9)
	chunk := slices.Concat([]byte("\xc1\x00crc_"), make([]byte, 16), []byte("\x00\x03tag"), msgpackOf(bodies),
		make([]byte, 500))
	archive := slices.Concat([]byte("\x6d\xe2\x99\x81"), bsonOf(bodies[:4]), []byte("\xff\xff\xff\xff"),
		bsonOf(bodies[4:]), []byte("\xff\xff\xff\xff"))
	for name, c := range map[string]struct {
		dump []byte
		step string
		time int64
	}{
		"BSON":        {bsonOf(bodies), "bson", 0},
		"archive":     {archive, "bson", 0},
		"MessagePack": {msgpackOf(bodies), "msgpack", 1772442640_000000005},
		"chunk":       {chunk, "msgpack", 1772442640_000000005},
	} {
		found := find(t, c.dump, read.Options{})
		if len(found.Records) != len(bodies) || len(found.Skips) > 0 {
			t.Errorf("%s: %d records, %+v", name, len(found.Records), found.Skips)
		}
		for i, r := range found.Records {
			if !bytes.Equal(r.Body, bodies[i]) || len(r.Batches) != 1 || r.Batches[0].ID != batchID || r.ExportTime != c.time ||
				r.Place.Container != c.step || r.Place.Offset != int64(i) {
				t.Errorf("%s: %d: %+v", name, i, r)
			}
		}
	}
}

// A cut or damaged document costs itself; behind it, events are searched for.
func TestDamagedPackedRows(t *testing.T) {
	bodies := dumps.Bodies(9)
	for name, whole := range map[string][]byte{"BSON": bsonOf(bodies), "MessagePack": msgpackOf(bodies)} {
		for n := 40; n < len(whole); n += 97 {
			a := sound(t, whole[:n], read.Options{})
			got := len(a.Records)
			want := 0
			for want < len(bodies) && bytes.Contains(whole[:n], bodies[want]) {
				want++
			}
			if got != want && n > 1000 || len(a.Skips) == 0 && got < len(bodies) && n > 300 {
				t.Fatalf("%s, first %d: %d records, want %d, %+v", name, n, got, want, a.Skips)
			}
		}
		b := bytes.Clone(whole)
		at := bytes.Index(b, bodies[3])
		copy(b[at-10:], strings.Repeat("\xc1", 30))
		a := sound(t, b, read.Options{})
		if len(a.Records) != len(bodies)-1 || !slices.Contains(a.Codes(), finding.SourceUnparseable) {
			t.Errorf("%s: %d records, %+v", name, len(a.Records), a.Skips)
		}
	}
}

// TestNotPacked: octets that begin as documents do by chance are none.
func TestNotPacked(t *testing.T) {
	for _, dump := range []string{"\x92\xd7\x00 time and then \xc1\xc1",
		"\x90\x01\x00\x00\x02name\x00 and no more", "\x14\x00\x00\x00\x02name\x00\xff\xff\xff\xff too much"} {
		for _, f := range find(t, []byte(dump), read.Options{}).Formats {
			if f.Format == read.BSON || f.Format == read.MessagePack {
				t.Errorf("%q: %s", dump, f.Format)
			}
		}
	}
}

// FuzzPackedRows wants that all of every file is accounted for.
func FuzzPackedRows(f *testing.F) {
	bodies := dumps.Bodies(2)
	f.Add(bsonOf(bodies))
	f.Add(msgpackOf(bodies))
	f.Fuzz(func(t *testing.T, b []byte) {
		sound(t, slices.Concat(bsonOf(bodies[:1]), b), read.Options{Limits: read.Limits{Unit: 1 << 16}})
		sound(t, slices.Concat(msgpackOf(bodies[:1]), b), read.Options{Limits: read.Limits{Unit: 1 << 16}})
	})
}

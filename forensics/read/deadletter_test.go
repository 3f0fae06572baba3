package read_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
)

// letters writes entries as Logstash writes its dead letter queue: a version, and
// blocks of 32 KiB with records.
func letters(entries [][]byte) []byte {
	const block, header = 32 << 10, 13
	out := []byte("1")
	for _, e := range entries {
		for kind := byte('s'); len(e) > 0; kind = 'm' {
			room := block - (len(out)-1)%block
			if room < header+1 {
				out = append(out, make([]byte, room)...)
				room = block
			}
			n := min(len(e), room-header)
			if n == len(e) && kind == 's' {
				kind = 'c'
			} else if n == len(e) {
				kind = 'e'
			}
			out = binary.BigEndian.AppendUint32(append(out, kind), uint32(n))
			out = binary.BigEndian.AppendUint32(append(out, 0xff, 0xff, 0xff, 0xff), crc32.ChecksumIEEE(e[:n]))
			out, e = append(out, e[:n]...), e[n:]
		}
	}
	return out
}

// Events are read across the blocks of a segment, and behind a damaged one.
func TestDeadLetters(t *testing.T) {
	bodies := dumps.Bodies(120)
	var entries [][]byte
	for _, b := range bodies {
		entries = append(entries,
			slices.Concat([]byte("\x00\x00\x00\x182026-03-02T09:00:00.000Z\x9f\x71java.util.HashMap\xbf\x67message\x79\x03\x00"),
				b,
				[]byte("\xff\xff\x00\x00\x00\x05error")))
	}
	segment := letters(entries)
	for name, c := range map[string]struct {
		segment []byte
		least   int
		codes   []finding.Code
	}{
		"whole":      {segment, len(bodies), nil},
		"two blocks": {segment[:64<<10], 70, []finding.Code{finding.SourcePartialTail}},
		"a bad block": {slices.Concat(segment[:40<<10], []byte("x"), segment[40<<10+1:]), 60,
			[]finding.Code{finding.SourceUnparseable}},
	} {
		found := &sound(t, c.segment, read.Options{}).Found
		if len(found.Records) < c.least || len(found.Records) == len(bodies) != (name == "whole") {
			t.Errorf("%s: %d events of %d", name, len(found.Records), len(bodies))
		}
		codes := slices.DeleteFunc(found.Codes(),
			func(c finding.Code) bool { return c == finding.SourceNoRecord || c == finding.NotRead })
		if !slices.Equal(slices.Compact(codes), c.codes) {
			t.Errorf("%s: %v, want %v", name, codes, c.codes)
		}
		for _, r := range found.Records {
			if !slices.ContainsFunc(bodies, func(b []byte) bool { return bytes.Equal(b, r.Body) }) {
				t.Errorf("%s: %q was never written", name, r.Body)
			}
		}
	}
	if f := find(t, []byte("1"+strings.Repeat("c", 100)),
		read.Options{}).Formats; len(f) > 0 && f[0].Format == read.DeadLetters {
		t.Error("text is taken for a dead letter queue")
	}
}

package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// maxSeam is how much of each volume belongs to a line across the cut, and mostTries
// how many times volumes are read to find out how many belong together.
const (
	maxSeam   = 4 << 20
	mostTries = 4
)

// run is a run of volumes that are one file, or one that stays apart, and the remark on it.
type run struct {
	parts  []part
	remark string
}

// notProven is the remark on volumes that stay apart although something seems to be cut.
const notProven = "named as a volume of a split file, but its content does not prove it: it is read by itself"

// seam is the state of the cut between two volumes.
type seam int

const (
	seamOpen   seam = iota // something may be cut, and is not proven to be
	seamWhole              // a line ends there, and the next begins
	seamProven             // the pieces of a line prove to be one
)

// cutIntoRuns cuts a set into runs. Names prove nothing: a line across the cut has to be
// an event whose hash holds, or a JSON value; or else the volumes together have to
// decode, or to hold more events than each by itself.
func (in *ingest) cutIntoRuns(ctx context.Context, set []part) []run {
	seams := in.seamStates(ctx, set)
	open, proven := slices.Contains(seams, seamOpen), slices.Contains(seams, seamProven)
	remark := ""
	if open {
		if first := in.tryJoined(ctx, set[:1]); first.damage >= 0 { // it is not whole by itself
			remark = notProven
			if n := in.joinedCount(ctx, set, first); n == len(set) || n > 1 && !proven {
				return append([]run{{parts: set[:n]}}, singleRuns(set[n:], remark)...)
			}
		}
		if !proven {
			return singleRuns(set, remark)
		}
	}
	runs := []run{{parts: set[:1:1], remark: remark}}
	for i, s := range seams {
		if s == seamProven {
			last := &runs[len(runs)-1]
			last.parts = append(last.parts, set[i+1])
		} else {
			runs = append(runs, run{[]part{set[i+1]}, remark})
		}
	}
	return runs
}

// singleRuns are runs of one volume each.
func singleRuns(set []part, remark string) (runs []run) {
	for _, p := range set {
		runs = append(runs, run{[]part{p}, remark})
	}
	return runs
}

// seamStates returns the state of each cut. Of a file that is no text all are open.
func (in *ingest) seamStates(ctx context.Context, set []part) []seam {
	seams := make([]seam, len(set)-1)
	for i := range seams {
		tail, text := lineBefore(set[i])
		switch {
		case !text:
		case len(tail) == 0:
			seams[i] = seamWhole
		case in.isSeam(ctx, tail, lineBehind(set[i+1])):
			seams[i] = seamProven
		}
	}
	return seams
}

// isSeam reports whether two pieces of a line prove to be one.
func (in *ingest) isSeam(ctx context.Context, tail, head []byte) bool {
	if len(tail) == 0 || len(head) == 0 {
		return false
	}
	line := append(bytes.Clone(tail), head...)
	if trimmed := bytes.TrimSpace(line); trimmed[0] == '{' && json.Valid(trimmed) && !json.Valid(head) {
		return true
	}
	return in.countSound(ctx, line) > in.countSound(ctx, tail)+in.countSound(ctx, head)
}

// countSound returns how many events a text contains whose hash holds.
func (in *ingest) countSound(ctx context.Context, text []byte) int {
	var t trial
	// An error here occurs again where it is reported.
	_ = read.Read(ctx, bytes.NewReader(text), in.options.Read, &t)
	return t.holds
}

// lineBefore returns the last line of a volume as far as it has begun, and whether
// the volume is text.
func lineBefore(p part) (line []byte, text bool) {
	f := newFiles([]part{p})
	defer f.Close()
	start := make([]byte, min(f.Size(), 512))
	if _, err := f.ReadAt(start, 0); err != nil || bytes.IndexFunc(start, notText) >= 0 {
		return nil, false
	}
	b := make([]byte, min(f.Size(), maxSeam))
	if _, err := f.ReadAt(b, f.Size()-int64(len(b))); err != nil {
		return nil, false
	}
	at := bytes.LastIndexByte(b, '\n') + 1
	return b[at:], at > 0 || int64(len(b)) == f.Size()
}

// notText reports whether a character is in no text; a whole one may be cut.
func notText(r rune) bool { return r < '\t' }

// lineBehind returns the first line of a volume, or its beginning.
func lineBehind(p part) []byte {
	f := newFiles([]part{p})
	defer f.Close()
	b := make([]byte, min(f.Size(), maxSeam))
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return nil
	}
	line, _, _ := bytes.Cut(b[:n], []byte("\n"))
	return line
}

// joinedCount returns how many volumes, from the first on, have to be one file: they
// decode to their end, or hold more events than they do without the last of them.
func (in *ingest) joinedCount(ctx context.Context, set []part, first trial) int {
	all := in.tryJoined(ctx, set)
	for tries := 1; tries < mostTries && len(set) > 1 && ctx.Err() == nil; tries++ {
		if all.damage < 0 && (all.packed || all.holds > first.holds+in.countAlone(ctx, set[1:])) {
			return len(set)
		}
		fewer := first
		if len(set) > 2 {
			fewer = in.tryJoined(ctx, set[:len(set)-1])
		}
		if all.holds > fewer.holds+in.countAlone(ctx, set[len(set)-1:]) {
			return len(set)
		}
		set, all = set[:len(set)-1], fewer
	}
	return 0
}

// countAlone returns how many events volumes hold that each have by themselves.
func (in *ingest) countAlone(ctx context.Context, set []part) (n int) {
	for i := range set {
		n += in.tryJoined(ctx, set[i:i+1]).holds
	}
	return n
}

// tryJoined reads volumes as one file.
func (in *ingest) tryJoined(ctx context.Context, set []part) trial {
	f := newFiles(set)
	defer f.Close()
	t := trial{damage: -1}
	if err := read.Read(ctx, io.NewSectionReader(f, 0, f.Size()), in.options.Read, &t); err != nil {
		t.damage = max(t.damage, 0)
	}
	return t
}

// trial has the results of volumes that are read to see whether they are one file.
type trial struct {
	packed bool  // the file is compressed, or an archive
	holds  int   // events whose hash holds
	damage int64 // where the first is; -1 if there is none
}

// Format implements read.Handler.
func (t *trial) Format(container string, f read.Format, _ string) error {
	if container == "" && f.Packs() {
		t.packed = true
	}
	return nil
}

// Record implements read.Handler.
func (t *trial) Record(r *read.Record) error {
	a := facts.Arrival{Line: &event.Line{}}
	if scanEvent(r.Body, &a) == nil && a.Line.Link.Hash() == a.Line.Recorded {
		t.holds++
	}
	return nil
}

// Skip implements read.Handler.
func (t *trial) Skip(s read.Skip) error {
	switch s.Code {
	case finding.SourceTruncated, finding.SourceTrailingData,
		finding.SourceUnparseable, finding.SourceUnknownFormat, finding.SourcePartialTail, finding.NotRead,
		finding.SourceLimit:
		if s.Place.Container == "" && t.damage < 0 {
			t.damage = s.Place.Offset
		}
	}
	return nil
}

package handover

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/premis"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func (x *export) say(code finding.Code, path, format string, args ...any) {
	x.found.Say(code, path, 0, fmt.Sprintf(format, args...))
}

// compareNames compares the names in the archive with the ledger's, and reports names that
// cannot be in a bag. Nothing is read or written for it.
func (x *export) compareNames(ctx context.Context) error {
	var names []string
	ignored, err := x.ledger.Ignored()
	if err != nil {
		return err
	}
	pairs := ledger.Join(x.root.All(ctx), x.ledger.Objects(ctx), ledger.PathOf)
	for p, err := range ledger.Examined(pairs, ignored) {
		switch {
		case err != nil:
			return err
		case !p.There:
			x.say(bag.Missing, p.Path, "")
			continue
		case p.Entry.Err != nil:
			x.say(bag.Unreadable, p.Path, "%s", safetext.Line(p.Entry.Err.Error()))
		case !p.Known:
			x.say(bag.Unlisted, p.Path, "")
		}
		if p.Known {
			names = append(names, p.Path)
		}
	}
	if said := ignored.PassedOver(); said != "" {
		x.result.NotExamined = append(x.result.NotExamined, said)
	}
	for path, why := range bag.Refused(names) {
		x.say(bag.Name, path, "%s", safetext.Line(why))
	}
	return nil
}

// copyObjects copies all objects, and writes them as PREMIS, with the events.
func (x *export) copyObjects(ctx context.Context, w *bag.Writer, events io.Writer) (err error) {
	if x.result.Archive, err = premis.ArchiveID(x.ledger); err != nil {
		return err
	}
	r := x.root.Reader()
	defer func() { err = errors.Join(err, r.Close()) }()
	return premis.FromLedger(ctx, events, x.ledger, func(o *ledger.Object) ([]byte, error) {
		if x.Progress != nil {
			x.Progress(o.Path, x.result.Payload.Files)
		}
		d, err := x.object(w, r, o)
		return d.SHA512[:], err
	})
}

// object copies one object, and compares it with its row.
func (x *export) object(w *bag.Writer, r *listing.Reader, o *ledger.Object) (d bag.Digest, err error) {
	f, err := r.Open(o.Path)
	if err != nil {
		x.say(bag.Unreadable, o.Path, "%s", safetext.Line(err.Error()))
		return d, nil
	}
	defer f.Close()
	in := &source{Reader: f}
	d, err = w.Add(o.Path, in)
	switch {
	case in.err != nil:
		x.say(bag.Unreadable, o.Path, "%s", safetext.Line(in.err.Error()))
		return d, nil
	case err != nil:
		return d, fmt.Errorf("writing the bag: %w", err)
	case d.SHA256 != o.SHA256 || d.Size != o.Size:
		x.say(bag.Altered, o.Path, "expected sha256 %s and %s, found %s and %s", hex.EncodeToString(o.SHA256[:]),
			safetext.Count(o.Size, "octet"), hex.EncodeToString(d.SHA256[:]), safetext.Count(d.Size, "octet"))
		return d, nil
	}
	x.result.Payload.Files++
	x.result.Payload.Octets += d.Size
	if facts := &o.Judgement.Facts; !x.result.Foreign && o.Judgement.Verdict != "" {
		err = x.result.Said.Add(o.Path, facts.Tally(), func() (*object.Facts, error) { return facts, nil })
	}
	return d, err
}

// source remembers that reading failed: the same call returns faults of writing.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (n int, err error) {
	n, err = s.Reader.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

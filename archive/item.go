package archive

import (
	"crypto/sha256"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/outcome"
)

// item is one object of a run, with its state in the folder and in the ledger.
type item struct {
	path  string
	there bool
	fault string // why it cannot be read, as the listing has it; "" for nothing
	size  int64  // as listed
	known bool
	row   short // if it is known
	// done is set if the run that this one continues read it, and all is well.
	done   bool
	leaves bool // the ledger, since the patterns of the run cover it
}

// short is the part of every row of the ledger that a run needs.
type short struct {
	size     int64
	sha256   [sha256.Size]byte
	modified int64
	readAt   int64
	readIn   int64
	addedIn  int64
	kind     object.Kind
	verdict  outcome.Class
	wrong    Class
	found    [sha256.Size]byte // the digest of the file in its place, if it is altered or replaced
	foundIs  outcome.Class     // the verdict on that
	accepted bool
	lost     bool
	current  bool // its verdict is in the context of this run
	brief    bool // an earlier version of the program kept less of it
	said     object.Tally
}

// shorten returns the part of a row that a run needs.
func shorten(o *ledger.Object, context object.Context) short {
	judged := o.Present().Judgement
	brief := judged.Facts.Short || judged.Kind == object.Logs && !judged.Facts.HasEvidence()
	return short{brief: brief, said: judged.Facts.Tally(),
		size: o.Size, sha256: o.SHA256, modified: o.Modified,
		readAt: o.ReadAt, readIn: o.ReadIn, addedIn: o.AddedIn, kind: o.Judgement.Kind, verdict: o.Judgement.Verdict,
		wrong: Class(o.Wrong), found: o.Found.SHA256, foundIs: o.Found.Judgement.Verdict,
		accepted: o.Accepted, lost: o.Lost, current: o.Context == context}
}

// failed reports whether a row is of an object that is read first: something is
// wrong with it, or its evidence is bad.
func (s *short) failed() bool {
	return s.wrong != "" || s.lost || s.verdict == outcome.Rejected && !s.accepted
}

// The words that are kept as one byte. Only a temporary file depends on their order.
var (
	kinds    = []object.Kind{"", object.Bundle, object.Case, object.Logs, object.Other}
	verdicts = []outcome.Class{"", outcome.Verified, outcome.Rejected, outcome.Inconclusive}
	wrongs   = []Class{"", Unreadable, Missing, Altered, Replaced}
)

// pack packs the item, as it waits in a temporary file.
func (it *item) pack(c *codec.Octets) {
	r := &it.row
	c.Flags(&it.there, &it.known, &r.accepted, &r.current, &it.done, &r.lost, &r.brief, &r.said.MayBeGood)
	c.Bool(&it.leaves)
	c.Text(&it.path)
	c.Text(&it.fault)
	codec.Int(c, &it.size)
	if !it.known {
		return
	}
	codec.Ints(c, &r.size, &r.modified, &r.readAt, &r.readIn, &r.addedIn, &r.said.Issued, &r.said.Revoked,
		&r.said.Superseded, &r.said.Logs)
	codec.List(c, &r.said.Unknown, c.Text)
	c.Digest(r.sha256[:])
	codec.Word(c, kinds, &r.kind)
	codec.Word(c, verdicts, &r.verdict)
	codec.Word(c, wrongs, &r.wrong)
	codec.Word(c, verdicts, &r.foundIs)
	if r.wrong != "" {
		c.Digest(r.found[:])
	}
}

// append appends the item to b.
func (it *item) append(b []byte) []byte {
	var c codec.Octets
	c.Write(b)
	it.pack(&c)
	return c.Bytes()
}

// parse reads an item.
func (it *item) parse(b []byte) error {
	var c codec.Octets
	c.Read(b)
	*it = item{}
	it.pack(&c)
	if err := c.End(); err != nil {
		return fmt.Errorf("a temporary file was changed by something else: %w", err)
	}
	return nil
}

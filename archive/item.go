package archive

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/outcome"
)

// item is one object of a run: what the folder has of it, and what the ledger has.
type item struct {
	path  string
	there bool
	fault string // why it cannot be read, as the listing has it; "" for nothing
	size  int64  // as listed
	known bool
	row   short // if it is known
	// done tells that the run that this one continues read it, and all is well.
	done bool
}

// short is what a run needs to know of every row of the ledger.
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
	found    [sha256.Size]byte // what stands in its place, if it is altered or replaced
	foundIs  outcome.Class     // the verdict on that
	accepted bool
	lost     bool
	current  bool // its verdict is in the context of this run
	brief    bool // an earlier version of the program kept less of it
	said     object.Tally
}

// shorten returns what a run needs of a row.
func shorten(o *ledger.Object, context object.Context) short {
	judged := &o.Judgement
	if o.Wrong == ledger.Altered || o.Wrong == ledger.Replaced {
		judged = &o.Found.Judgement
	}
	return short{brief: judged.Facts.Short, said: judged.Facts.Tally(),
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

// The words that are kept as one octet. Their order is that of a temporary file, and
// of nothing else.
var (
	kinds    = []object.Kind{"", object.Bundle, object.Case, object.Logs, object.Other}
	verdicts = []outcome.Class{"", outcome.Verified, outcome.Rejected, outcome.Inconclusive}
	wrongs   = []Class{"", Unreadable, Missing, Altered, Replaced}
)

// append appends the item to b, as it waits in a temporary file.
func (it *item) append(b []byte) []byte {
	b = append(b, bits(it.there, it.known, it.row.accepted, it.row.current, it.done, it.row.lost, it.row.brief,
		it.row.said.MayBeGood))
	b = appendText(b, it.path)
	b = appendText(b, it.fault)
	b = binary.AppendVarint(b, it.size)
	if !it.known {
		return b
	}
	r := &it.row
	for _, n := range []int64{r.size, r.modified, r.readAt, r.readIn, r.addedIn, r.said.Issued, r.said.Revoked,
		r.said.Superseded, r.said.Logs, int64(len(r.said.Unknown))} {
		b = binary.AppendVarint(b, n)
	}
	for _, name := range r.said.Unknown {
		b = appendText(b, name)
	}
	b = append(b, r.sha256[:]...)
	b = append(b, code(kinds, r.kind), code(verdicts, r.verdict), code(wrongs, r.wrong), code(verdicts, r.foundIs))
	if r.wrong != "" {
		b = append(b, r.found[:]...)
	}
	return b
}

// errItem says that a temporary file does not have what was written to it.
var errItem = errors.New("a temporary file was changed by something else")

// parse reads an item.
func (it *item) parse(b []byte) error {
	in := decoder{b: b}
	flags := in.octet()
	*it = item{there: flags&1 != 0, known: flags&2 != 0, path: in.text(), fault: in.text(), size: in.int()}
	if it.known {
		r := &it.row
		r.accepted, r.current, it.done, r.lost = flags&4 != 0, flags&8 != 0, flags&16 != 0, flags&32 != 0
		r.brief, r.said.MayBeGood = flags&64 != 0, flags&128 != 0
		r.size, r.modified, r.readAt, r.readIn, r.addedIn = in.int(), in.int(), in.int(), in.int(), in.int()
		r.said.Statuses = object.Statuses{Issued: in.int(), Revoked: in.int(), Superseded: in.int()}
		r.said.Logs = in.int()
		for n := in.int(); n > 0 && !in.bad; n-- {
			r.said.Unknown = append(r.said.Unknown, in.text())
		}
		in.digest(&r.sha256)
		r.kind, r.verdict = word(&in, kinds), word(&in, verdicts)
		r.wrong, r.foundIs = word(&in, wrongs), word(&in, verdicts)
		if r.wrong != "" {
			in.digest(&r.found)
		}
	}
	if in.bad || len(in.b) > 0 {
		return errItem
	}
	return nil
}

// bits makes one octet of truths, the first of which is its lowest bit.
func bits(all ...bool) (b byte) {
	for i, is := range all {
		if is {
			b |= 1 << i
		}
	}
	return b
}

// code is the number of a word, or of none.
func code[T ~string](words []T, one T) byte {
	for i, w := range words {
		if w == one {
			return byte(i) // #nosec G115 -- there are few
		}
	}
	return 0
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// decoder reads what was appended.
type decoder struct {
	b   []byte
	bad bool
}

// take returns the next octets, nil if there are fewer.
func (d *decoder) take(n uint64) []byte {
	if d.bad || n > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	some := d.b[:n]
	d.b = d.b[n:]
	return some
}

func (d *decoder) octet() byte {
	if some := d.take(1); some != nil {
		return some[0]
	}
	return 0
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.b)
	d.take(uint64(max(size, 0)))
	d.bad = d.bad || size <= 0
	return n
}

func (d *decoder) text() string {
	n, size := binary.Uvarint(d.b)
	d.take(uint64(max(size, 0)))
	d.bad = d.bad || size <= 0
	return string(d.take(n))
}

func (d *decoder) digest(sum *[sha256.Size]byte) { copy(sum[:], d.take(sha256.Size)) }

// word reads one of the words that are kept as one octet.
func word[T ~string](d *decoder, words []T) T {
	n := int(d.octet())
	if n >= len(words) {
		d.bad = true
		return ""
	}
	return words[n]
}

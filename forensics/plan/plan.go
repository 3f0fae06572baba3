package plan

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// Schema names the form of a plan.
const Schema = "svc-verify/plan/v1"

// Plan is a division of evidence into shares.
type Plan struct {
	InputFormat     read.Format // as the caller names it; "" if formats are recognised
	BatchAttributes []string    // ascending
	Only            []string    // patterns that choose members of archives, ascending
	Shares          int
	Sources         []Source       // in the order in which they were given, each once
	Unread          []facts.Unread // in that order; they belong to share 0
}

// Source is a source, with all names under which it was given.
type Source struct {
	SHA256  chain.Hash
	Size    int64
	Format  read.Format   // as its first bytes tell; "" if they do not
	Volumes int           // the first so many names are volumes of it, in order; 0 if it is one file
	Remark  string        // the case's remark on the source as a whole; may be ""
	Names   []ingest.Name // at least one
	Ranges  []Range       // at least one, in order, without a gap
}

// Range is a part of a source that one worker reads.
type Range struct {
	Share    int
	From, To int64      // bytes
	Consumed int64      // the consumed bytes before it, as a reader counts them; 0 if the source is one range
	SHA256   chain.Hash // of its bytes
}

// Piece is a range of a source.
type Piece struct {
	*Source
	Range
}

// Paths returns the paths that are opened to read the source.
func (s *Source) Paths() []string {
	paths := []string{s.Names[0].Given}
	for i := 1; i < s.Volumes; i++ {
		paths = append(paths, s.Names[i].Given)
	}
	return paths
}

// Read returns how a source is read in whole.
func (p *Plan) Read() read.Options {
	return read.Options{Format: p.InputFormat, BatchAttributes: p.BatchAttributes, Only: p.Only}
}

// ReadPiece returns how a piece is read.
func (p *Plan) ReadPiece(piece Piece) read.Options {
	o := p.Read()
	if len(piece.Ranges) > 1 {
		o.Range = &read.Position{Offset: piece.From, Consumed: piece.Consumed}
	}
	return o
}

// Pieces returns the pieces of each share, in order. A share may have none.
func (p *Plan) Pieces() [][]Piece {
	shares := make([][]Piece, p.Shares)
	for i := range p.Sources {
		s := &p.Sources[i]
		for _, r := range s.Ranges {
			shares[r.Share] = append(shares[r.Share], Piece{s, r})
		}
	}
	return shares
}

// Share returns the pieces of one share, in order.
func (p *Plan) Share(index int) []Piece { return p.Pieces()[index] }

// Digest is the SHA-256 of a plan's document.
func Digest(document []byte) chain.Hash { return sha256.Sum256(document) }

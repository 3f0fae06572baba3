package ingest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// firstRequest is how package read names the first request of a capture.
const firstRequest = "request@0"

// Capture is a source that grows: the requests of one sender, as on the wire,
// without compression. It is complete after every request, so that any interruption
// leaves a whole source. Its bytes are only in the rows of the case.
type Capture struct {
	progress facts.Progress
	hash     hash.Hash
	reported int64 // records and skips
}

// Kept counts the records that a case kept of a request.
type Kept struct {
	Events int64
	Others int64 // records that are no events
	Cut    int64 // of these, the ones with only their beginning kept
}

// howReceived is how a capture is read.
const howReceived = `{"received":true}`

// NewCapture starts a capture under a unique name.
func NewCapture(w Target, name string) (*Capture, error) {
	p, err := w.Start(0, sha256.Sum256(nil))
	if err != nil {
		return nil, err
	}
	return &Capture{progress: p, hash: sha256.New()}, errors.Join(w.ReadAs(p.Source, howReceived),
		w.Name(p.Source, name, ""))
}

// In reports whether a case that was closed and opened again still has the capture
// in its last state, so that requests can be added to it.
func (c *Capture) In(w Target) (bool, error) {
	known, ok, err := w.Known(c.progress.ReadSHA256)
	return ok && known.Number == c.progress.Source, err
}

// Add adds a request. It is in the case once the writer commits; after an error
// neither the writer nor the capture may be used any more.
func (c *Capture) Add(w Target, r *Request) (Kept, error) {
	defer r.releaseMemory()
	var kept Kept
	p := &c.progress
	for _, raw := range r.chunks {
		raw.progress.Source = p.Source
		chunk := scanChunk(raw)
		c.placeRequest(chunk, r)
		w.Prepare(chunk)
		kept.countChunk(chunk)
		p.Events += int64(len(chunk.Events))
		p.Skipped += chunk.Skipped()
		if err := w.Add(chunk, *p); err != nil {
			return Kept{}, err
		}
	}
	p.Reports += r.reports
	c.reported += r.indexed
	c.hash.Write(r.wire)
	c.hash.Write(r.body)
	p.Read += int64(len(r.wire) + len(r.body))
	p.Size, p.ReadSHA256 = p.Read, chain.Hash(c.hash.Sum(nil))
	return kept, w.Finish(*p)
}

func (k *Kept) countChunk(c *facts.Chunk) {
	k.Events += int64(len(c.Events))
	for i := range c.Skips {
		if c.Skips[i].Length == 0 { // a note on a record that is kept
			continue
		}
		s := &c.Skips[i]
		k.Others += s.New()
		k.Cut += s.New()
		if s.Told == 0 && len(s.Excerpt) < facts.ExcerptSize { // of others there is only their number
			k.Cut--
		}
	}
}

// placeRequest moves the records of a request to the place of the request in the capture.
func (c *Capture) placeRequest(chunk *facts.Chunk, r *Request) {
	for i := range chunk.Containers {
		box := &chunk.Containers[i]
		rest, within := strings.CutPrefix(box.Path, firstRequest)
		switch {
		case within:
			box.Path = fmt.Sprintf("request@%d%s", c.progress.Read, rest)
			if box.Format != "" {
				box.Why = r.asArrival()
			}
		case c.progress.Read > 0: // the capture's own format is known by now
			box.Format, box.Why = "", ""
		}
	}
	for i := range chunk.Events {
		chunk.Events[i].Record += c.reported
	}
	for i := range chunk.Skips {
		chunk.Skips[i].Record += c.reported
		chunk.Skips[i].Through += c.reported
	}
}

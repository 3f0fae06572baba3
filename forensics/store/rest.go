package store

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// addRest adds the documents and the skips of a chunk, whose containers have the numbers
// that are given.
func (w *output) addRest(c *facts.Chunk, p *prepared, containers []uint32) error {
	for i := range c.Documents {
		d := &c.Documents[i]
		found := foundDocument{sha256.Sum256(d.Bytes), d.Bytes}
		if w.judges != nil {
			found = p.documents[i]
		}
		if err := w.addDocument(c.Source, d, &found, containers); err != nil {
			return err
		}
	}
	for i := range c.Skips {
		if err := w.addSkip(c.Source, &c.Skips[i], containers); err != nil {
			return err
		}
	}
	return nil
}

// addDocument adds a document, which is kept once, and its place.
func (w *output) addDocument(source int64, d *facts.FoundDocument, kept *foundDocument, containers []uint32) error {
	number, err := w.conn.Number("SELECT document FROM documents WHERE sha256 = ?", kept.sha256[:])
	if err == nil && number == 0 {
		if number, err = w.conn.Number("SELECT coalesce(max(document), 0) + 1 FROM documents"); err == nil {
			err = w.conn.Run("INSERT INTO documents VALUES (?, ?, ?, ?)", number, kept.sha256[:], d.Kind, kept.octets)
		}
	}
	if err != nil {
		return err
	}
	return w.conn.Run("INSERT INTO document_places VALUES (?, ?, ?, ?, ?, ?)", number, source,
		int64(containers[d.Container]), d.Offset, d.Length, d.Record)
}

// addSkip adds a span, or counts it with an earlier one.
func (w *output) addSkip(source int64, s *facts.FoundSkip, containers []uint32) error {
	through, spans := max(s.Record, s.Through), max(1, s.Spans)
	if s.Told > 0 {
		return w.conn.Run("UPDATE skips SET length = ?, spans = ?, through = ? WHERE source = ? AND record = ? AND code = ?",
			s.Length, spans, through, source, s.Record, s.Code)
	}
	return w.conn.Run("INSERT INTO skips VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", source, s.Record,
		int64(containers[s.Container]), s.Offset, s.Length, s.Code, s.Detail,
		s.Excerpt[:min(len(s.Excerpt), facts.ExcerptSize)], spans, through)
}

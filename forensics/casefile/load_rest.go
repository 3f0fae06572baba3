package casefile

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

func (l *loader) addSkips(chunk *Chunk, containers []int64) error {
	for i := range chunk.Skips {
		if err := l.addSkip(chunk.Source, containers, &chunk.Skips[i]); err != nil {
			return err
		}
	}
	return nil
}

// addSkip adds a span, or says of one that is there that it stands for more.
func (l *loader) addSkip(source int64, containers []int64, s *FoundSkip) error {
	through := max(s.Record, s.Through)
	if s.Told > 0 {
		const more = "UPDATE skips SET length = ?, spans = ?, through = ? WHERE source = ? AND hides IN (0, 1) AND record = ?"
		return l.c.Run(more, s.Length, s.count(), through, source, s.Record)
	}
	const insert = `INSERT INTO skips (container, offset, length, record, code, detail, excerpt, source, spans, through)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	excerpt := s.Excerpt[:min(len(s.Excerpt), facts.ExcerptSize)]
	return l.c.Run(insert, containers[s.Container], s.Offset, s.Length, s.Record, s.Code, s.Detail, excerpt, source,
		s.count(), through)
}

func (l *loader) addDocuments(chunk *Chunk, containers []int64) error {
	for _, d := range chunk.Documents {
		number, err := l.document(d)
		if err != nil {
			return err
		}
		err = l.c.Run("INSERT INTO document_places VALUES (?, ?, ?, ?, ?)",
			number, containers[d.Container], d.Offset, d.Length, d.Record)
		if err != nil {
			return err
		}
	}
	return nil
}

// document returns the number of a document, which is kept once.
func (l *loader) document(d FoundDocument) (int64, error) {
	sum := sha256.Sum256(d.Bytes)
	number, err := l.c.Number("SELECT document FROM documents WHERE sha256 = ?", sum[:])
	if number > 0 || err != nil {
		return number, err
	}
	number, err = l.c.Number("SELECT coalesce(max(document), 0) + 1 FROM documents")
	if err != nil {
		return 0, err
	}
	return number, l.c.Run("INSERT INTO documents VALUES (?, ?, ?, ?)", number, sum[:], d.Kind, d.Bytes)
}

package part

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// chunkSize is how many statements are handed on at once, and chunkSaid the octets of
// what they say that share memory.
const (
	chunkSize = 512
	chunkSaid = 16 << 10
)

// Chunks yields those statements of a log from a sequence on whose types are wanted, as
// [Content.Statements] does but many at once. What a statement says stays as it is; the
// slice is valid until the next one.
func Chunks(ctx context.Context, c Content, log facts.Log, from uint64,
	want func(eventType string) bool) iter.Seq2[[]Statement, error] {
	return func(yield func([]Statement, error) bool) {
		var all []Statement
		var said []byte
		for s, err := range c.Statements(ctx, log, from) {
			if err != nil {
				if len(all) == 0 || yield(all, nil) {
					yield(nil, err)
				}
				return
			}
			if !want(s.Type) {
				continue
			}
			if len(said)+len(s.Said) > cap(said) {
				said = make([]byte, 0, max(chunkSaid, len(s.Said)))
			}
			n := len(said)
			said = append(said, s.Said...)
			if all == nil {
				all = make([]Statement, 0, chunkSize)
			}
			all = append(all, *s)
			if all[len(all)-1].Said = said[n:len(said):len(said)]; len(all) < chunkSize {
				continue
			}
			if !yield(all, nil) {
				return
			}
			all = all[:0]
		}
		if len(all) > 0 {
			yield(all, nil)
		}
	}
}

// StatementOctets returns about how many octets the statements of a log take.
func (m *merged) StatementOctets(log facts.Log) (sum int64) {
	for _, s := range m.holds[log] {
		for _, one := range s.in.ofLog(log).statements {
			sum += int64(one.size)
		}
	}
	return sum
}

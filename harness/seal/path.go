package seal

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
)

// Path is the audit path from event head of the log through the events that it
// discloses, SPEC 6.1: the way to the newest of them, and on to the next older.
func (l *Log) Path(head uint64, disclosed ...Object) (Object, error) {
	if len(disclosed) == 0 || head > l.Sequence() {
		return nil, fmt.Errorf("no path from %d, head of %d, to %d events", head, l.Sequence(), len(disclosed))
	}
	events := slices.SortedFunc(slices.Values(disclosed), func(a, b Object) int {
		return cmp.Compare(readSequence(b), readSequence(a))
	})
	bySequence := map[uint64]Object{}
	way := []uint64{head}
	for _, event := range events {
		target := readSequence(event)
		at := way[len(way)-1]
		if target < 1 || target > at || bySequence[target] != nil {
			return nil, fmt.Errorf("no path from %d to an event with sequence %d", at, target)
		}
		bySequence[target] = event
		way = append(way, Way(at, target)[1:]...)
	}
	links := make([]any, len(way))
	for i, n := range way {
		links[i] = l.Link(n).Redacted()
		if event := bySequence[n]; event != nil {
			links[i] = Object{"event": event}
		}
	}
	return Object{"links": links}, nil
}

// Redacted is the link as a path shows it without its event, SPEC 6.1.
func (l Link) Redacted() Object {
	return Object{
		"sequence":      int64(l.Sequence),
		"previous_hash": l.Previous.String(),
		"skip_hash":     l.Skip.String(),
		"body_sha256":   l.Body.String(),
	}
}

func readSequence(event Object) uint64 {
	return uint64(max(0, Integer(Member(event, "body"), "sequence")))
}

func bodyHash(body []byte) Hash {
	return sha256.Sum256(body)
}

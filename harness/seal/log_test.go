package seal

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestSkipOfTheSpecification(t *testing.T) {
	var got []uint64
	for n := uint64(1); n <= 14; n++ {
		got = append(got, Skip(n))
	}
	want := []uint64{0, 1, 2, 1, 4, 5, 6, 4, 8, 9, 10, 8, 4, 13}
	check.That(t, slices.Equal(got, want), "got %v, want %v", got, want)
	for n, want := range map[uint64]uint64{40: 13, 121: 40, 1<<64 - 1: Skip(1<<64 - 1)} {
		got := Skip(n)
		check.That(t, got == want && got < n, "Skip(%d) = %d, want %d", n, got, want)
	}
}

// No skip link leaves an interval that another one spans: with that, the links
// from a head hide every sequence that no later link can name.
func TestSkipLinksDoNotCross(t *testing.T) {
	for n := uint64(1); n <= 1100; n++ {
		for between := Skip(n) + 1; between < n; between++ {
			must.That(t, Skip(between) >= Skip(n), "%d skips to %d, and %d to %d", n, Skip(n), between, Skip(between))
		}
	}
}

func TestWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.Uint64Range(1, 1_000_000_000).Draw(t, "head")
		target := rapid.Uint64Range(0, head).Draw(t, "target")
		way := Way(head, target)
		must.That(t, way[0] == head && way[len(way)-1] == target && len(way) <= 80,
			"the way from %d to %d is %v", head, target, way)
		for i, to := range way[1:] {
			from := way[i]
			if skip := Skip(from); to != skip && (to != from-1 || skip >= target) {
				t.Fatalf("the way from %d to %d goes from %d to %d", head, target, from, to)
			}
		}
	})
}

// history is a log of n events and the events.
func history(n int) (*Log, []Object) {
	log := NewLog("t", "tenant/t")
	var events []Object
	for i := range n {
		events = append(events, log.Append(Entry{
			Type:       "node.enrolled",
			OccurredAt: time.Unix(int64(i), 0),
			Data:       Object{"node_id": fmt.Sprint(i)},
		}, testKey))
	}
	return log, events
}

func TestEventsLinkAndVerify(t *testing.T) {
	_, events := history(50)
	hashes := []Hash{Genesis("t", "tenant/t")}
	for i, event := range events {
		n := uint64(i + 1)
		link := Link{n, hashes[n-1], hashes[Skip(n)], bodyHash(Canonical(event["body"]))}
		hash := link.Hash()
		signature, err := Unbase64(Text(event, "signature"))
		must.That(t, err == nil && ed25519.Verify(testKey.Public(), PAE("svc.audit-event.v1", hash[:]), signature),
			"event %d: the signature is not over its hash", n)
		must.That(t, Text(event, "hash") == hash.String() && Text(event, "previous_hash") == link.Previous.String() &&
			Text(event, "skip_hash") == link.Skip.String(),
			"event %d: its hashes are not those of its link", n)
		hashes = append(hashes, hash)
	}
}

func TestResume(t *testing.T) {
	log, events := history(45)
	again := NewLog("t", "tenant/t")
	for i, event := range events {
		for _, name := range []string{"previous_hash", "skip_hash", "hash"} {
			other := CloneObject(event)
			other[name] = Hash{}.String()
			check.That(t, again.Resume(other) != nil, "event %d was taken in with another %s", i+1, name)
		}
		other := CloneObject(event)
		Member(other, "body")["type"] = "other"
		check.That(t, again.Resume(other) != nil && again.Resume(events[(i+1)%45]) != nil,
			"event %d: another one was taken in for it", i+1)
		must.Do(t, again.Resume(event))
	}
	check.That(t, again.Head() == log.Head() && again.Sequence() == 45,
		"head %s of %d, want %s of 45", again.Head(), again.Sequence(), log.Head())
}

func TestLogOfIsTheSameSpine(t *testing.T) {
	log, events := history(45)
	again := LogOf("t", "tenant/t", events)
	check.That(t, again.Head() == log.Head() && again.Sequence() == 45 && again.Hash(13) == log.Hash(13),
		"head %s of %d, want %s of 45", again.Head(), again.Sequence(), log.Head())
	links := slices.Collect(log.Since(40))
	check.That(t, len(links) == 5 && links[0].Sequence == 41 && links[4].Hash() == log.Head(),
		"the links after 40 are %v", links)
}

func TestTransactionIsOptional(t *testing.T) {
	log, events := history(1)
	about := log.Append(Entry{TransactionID: "tx"}, testKey)
	check.Equal(t, Text(Member(about, "body"), "transaction_id"), "tx", "the transaction is missing")
	_, present := Member(events[0], "body")["transaction_id"]
	check.That(t, !present, "an event about no transaction names one")
}

func TestPath(t *testing.T) {
	log, events := history(60)
	path := must.Get(log.Path(60, events[20], events[44]))(t)
	var got []uint64
	for _, link := range List(path, "links") {
		event := Member(link.(Object), "event")
		if event == nil {
			got = append(got, uint64(Integer(link.(Object), "sequence")))
			continue
		}
		got = append(got, readSequence(event))
		n := readSequence(event)
		check.That(t, n == 21 || n == 45, "event %d is disclosed", n)
	}
	want := append(Way(60, 45), Way(45, 21)[1:]...)
	check.That(t, slices.Equal(got, want), "got %v, want %v", got, want)
}

func TestPathRefuses(t *testing.T) {
	log, events := history(10)
	for name, path := range map[string]func() (Object, error){
		"nothing to disclose": func() (Object, error) { return log.Path(10) },
		"no such head":        func() (Object, error) { return log.Path(11, events[2]) },
		"beyond the head":     func() (Object, error) { return log.Path(5, events[7]) },
		"twice":               func() (Object, error) { return log.Path(10, events[2], events[2]) },
		"the head twice":      func() (Object, error) { return log.Path(10, events[9], events[9]) },
		"no sequence":         func() (Object, error) { return log.Path(10, Object{}) },
	} {
		got, err := path()
		check.That(t, err != nil, "%s: got the path %v", name, got)
	}
}

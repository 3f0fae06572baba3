package chain

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var genesis = Genesis("acme-corp", "tenant/acme-corp")

// log returns the events 1..n of a sound log.
func log(n uint64) []Event {
	hashes := []Hash{genesis}
	var events []Event
	for seq := uint64(1); seq <= n; seq++ {
		l := Link{seq, hashes[seq-1], hashes[Skip(seq)], body(seq)}
		hashes = append(hashes, l.Hash())
		events = append(events, Event{l, l.Hash()})
	}
	return events
}

func body(n uint64) Hash {
	return sha256.Sum256(binary.BigEndian.AppendUint64([]byte("body"), n))
}

func TestGenesisIsTheDigestOfTheSpec(t *testing.T) {
	// printf 'svc.audit-genesis.v1\0{"log_id":"tenant/acme-corp","tenant_id":"acme-corp"}' | sha256sum
	want := "3ba5b34d6bece2db1853529520062ef024f557cc9f5edd365056b68e5df297b3"
	check.That(t, genesis.String() == want, "genesis %s, want %s", genesis, want)
}

func TestHashIsTheDigestOfTheSpec(t *testing.T) {
	l := Link{Sequence: 0x0102030405060708, Previous: Hash{1}, Skip: Hash{2}, Body: Hash{3}}
	text := slices.Concat([]byte("svc.audit-link.v1\x00\x01\x02\x03\x04\x05\x06\x07\x08"), l.Previous[:], l.Skip[:],
		l.Body[:])
	check.Equal(t, l.Hash(), Hash(sha256.Sum256(text)), "the hash of a link")
}

func TestSkipNumbers(t *testing.T) {
	want := []uint64{0, 0, 1, 2, 1, 4, 5, 6, 4, 8, 9, 10, 8, 4, 13}
	for n, w := range want {
		check.Equal(t, Skip(uint64(n)), w, "Skip(%d) =", n)
	}
	for n, w := range map[uint64]uint64{26: 13, 39: 26, 40: 13, 121: 40, 364: 121} {
		check.Equal(t, Skip(n), w, "Skip(%d) =", n)
	}
}

// slowSkip is the definition in words: from a full number back by the power, else by the full
// number that divides the remainder.
func slowSkip(n uint64) uint64 {
	full := []uint64{1}
	for full[len(full)-1] < n {
		full = append(full, 3*full[len(full)-1]+1)
	}
	if full[len(full)-1] == n {
		return n - (2*n+1)/3
	}
	rest := n
	for _, f := range slices.Backward(full[:len(full)-1]) {
		if rest %= f; rest == 0 {
			return n - f
		}
	}
	panic("1 divides everything")
}

func TestSkipLinksNeverCross(t *testing.T) {
	const n = 2000
	for b := uint64(1); b <= n; b++ {
		must.That(t, Skip(b) < b && Skip(b) == slowSkip(b), "Skip(%d) = %d, slow %d", b, Skip(b), slowSkip(b))
		for a := uint64(1); a < b; a++ {
			must.That(t, Skip(b) <= Skip(a) || Skip(b) >= a, "skip links %d→%d and %d→%d cross", a, Skip(a), b, Skip(b))
		}
	}
}

func TestWayIsShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		size uint64
		most int
	}{{1e3, 30}, {1e6, 60}, {1e9, 90}, {1<<53 - 1, 140}} {
		longest := 0
		for range 3000 {
			from := 1 + rng.Uint64N(c.size)
			to := 1 + rng.Uint64N(from)
			way := Way(from, to)
			must.That(t, way[0] == from && way[len(way)-1] == to &&
				slices.IsSortedFunc(way, func(a, b uint64) int { return int(b) - int(a) }), "Way(%d, %d) = %v", from, to, way)
			longest = max(longest, len(way))
		}
		check.That(t, longest <= c.most, "a way in a log of %d has %d links, want at most %d", c.size, longest, c.most)
	}
	check.That(t, Way(3, 4) == nil && len(Way(7, 7)) == 1,
		"Way is empty upwards and one step long from an event to itself")
}

func TestFrontierHoldsAllThatLaterLinksNeed(t *testing.T) {
	f := NewFrontier(genesis)
	for _, e := range log(3000) {
		must.Do(t, f.Append(e.Link))
		must.That(t, f.Head() == e.Recorded && f.Sequence() == e.Sequence, "head %d %s, want %d %s", f.Sequence(), f.Head(),
			e.Sequence, e.Recorded)
		must.That(t, len(f.Hashes()) <= 30, "%d hashes kept at %d", len(f.Hashes()), e.Sequence)
		if f.Clone(); e.Sequence%97 == 0 {
			f = must.Get(RestoreFrontier(f.Sequence(), f.Hashes()))(t)
		}
	}
}

func TestFrontierRefuses(t *testing.T) {
	events := log(40)
	damage := map[string]func(*Link){
		"lower sequence":  func(l *Link) { l.Sequence-- },
		"higher sequence": func(l *Link) { l.Sequence++ },
		"other previous":  func(l *Link) { l.Previous[0] ^= 1 },
		"other skip":      func(l *Link) { l.Skip[31] ^= 1 },
	}
	for name, alter := range damage {
		f := NewFrontier(genesis)
		for _, e := range events[:39] {
			must.Do(t, f.Append(e.Link))
		}
		last := events[39].Link
		alter(&last)
		check.That(t, f.Append(last) != nil, "%s: taken", name)
		check.OK(t, f.Append(events[39].Link), "%s: the refusal changed the frontier", name)
	}
	f, first := NewFrontier(genesis), events[0]
	must.Do(t, f.Append(first.Link))
	check.That(t, f.Append(Link{Sequence: 4, Previous: first.Recorded, Skip: first.Recorded}) != nil,
		"sequences 2 and 3 were passed over: their links name the head")
	check.That(t, check.Err(RestoreFrontier(14, map[uint64]Hash{14: {}, 13: {}, 0: {}})) != nil,
		"a frontier without the hash of 4 was taken up")
}

// path returns the sound path of a log from head to the targets.
func path(events []Event, head uint64, targets ...uint64) Path {
	p := Path{Genesis: genesis, Head: Anchor{head, events[head-1].Recorded}}
	from := head
	for _, to := range targets {
		for _, n := range Way(from, to) {
			if n != from || len(p.Steps) == 0 {
				p.Steps = append(p.Steps, PathStep{events[n-1].Link, n == to})
			}
		}
		from = to
	}
	return p
}

func TestPathHolds(t *testing.T) {
	events := log(400)
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.Uint64Range(2, 400).Draw(t, "head")
		newer := rapid.Uint64Range(2, head).Draw(t, "newer")
		older := rapid.Uint64Range(1, newer-1).Draw(t, "older")
		f := path(events, head, newer, older).Check()
		must.That(t, f == nil, "path to two events: %v", f)
		f = path(events, head, older).Check()
		must.That(t, f == nil, "path to one event: %v", f)
	})
}

// TestPathFaults names each defect by the damage. The sound path is 60 → 59 → 58 → 57 → 53 →
// 52 → 48 → 44 → 43, with 52 and 43 disclosed.
func TestPathFaults(t *testing.T) {
	events := log(60)
	flip := func(h *Hash) { h[7] ^= 0x10 }
	tests := []struct {
		name   string
		damage func(*Path)
		want   []PathFault
	}{
		{"body altered", func(p *Path) { flip(&p.Steps[2].Body) },
			[]PathFault{{Defect: HashMismatch, Index: 2, Sequence: 58}}},
		{"skip altered off the way", func(p *Path) { flip(&p.Steps[3].Skip) }, []PathFault{
			{Defect: HashMismatch, Index: 3, Sequence: 57}, {Defect: HashMismatch, Index: 4, Sequence: 53}}},
		{"two histories", func(p *Path) { flip(&p.Steps[0].Skip) }, []PathFault{
			{Defect: HashMismatch, Index: 0, Sequence: 60}, {Defect: Conflict, Index: 0, Sequence: 59}}},
		{"head of another log", func(p *Path) { flip(&p.Head.Hash) },
			[]PathFault{{Defect: HashMismatch, Index: 0, Sequence: 60}}},
		{"link removed", func(p *Path) { p.Steps = slices.Delete(p.Steps, 1, 2) },
			[]PathFault{{Defect: WrongStep, Index: 1, Sequence: 58}}},
		{"links swapped", func(p *Path) { p.Steps[0], p.Steps[1] = p.Steps[1], p.Steps[0] },
			[]PathFault{{Defect: WrongStep, Index: 0, Sequence: 59}}},
		{"link doubled", func(p *Path) { p.Steps = slices.Insert(p.Steps, 1, p.Steps[1]) },
			[]PathFault{{Defect: WrongStep, Index: 2, Sequence: 59}}},
		{"a link too many", func(p *Path) { p.Steps = append(p.Steps, PathStep{Link: events[41].Link}) },
			[]PathFault{{Defect: Trailing, Index: 9, Sequence: 42}}},
		{"ends early", func(p *Path) { p.Steps[8].Disclosed = false },
			[]PathFault{{Defect: Trailing, Index: 6, Sequence: 48}}},
		{"nothing", func(p *Path) { p.Steps = nil }, []PathFault{{Defect: EndsEarly, Index: 0, Sequence: 60}}},
		{"nothing disclosed", func(p *Path) { p.Steps = p.Steps[:1] },
			[]PathFault{{Defect: EndsEarly, Index: 1, Sequence: 59}}},
		{"an event twice", func(p *Path) { p.Steps = append(p.Steps, p.Steps[8]) },
			[]PathFault{{Defect: WrongStep, Index: 9, Sequence: 43}}},
		{"an event above the head", func(p *Path) { p.Steps[5].Sequence = 70 },
			[]PathFault{{Defect: WrongStep, Index: 0, Sequence: 60}}},
		{"sequence 0", func(p *Path) { p.Head.Sequence = 0; p.Steps = []PathStep{{Disclosed: true}} }, []PathFault{
			{Defect: Conflict, Index: 0, Sequence: 0}, {Defect: WrongStep, Index: 0, Sequence: 0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := path(events, 60, 52, 43)
			f := p.Check()
			must.That(t, f == nil, "the sound path: %v", f)
			tt.damage(&p)
			got := p.Check()
			opts := cmpopts.IgnoreFields(PathFault{}, "Expected", "Found")
			d := cmp.Diff(tt.want, got, opts)
			check.That(t, d == "", "%v", d)
			for _, f := range got {
				check.That(t, f.Expected != f.Found, "%v: expected and found are the same", f)
			}
		})
	}
}

// TestNoForgedMiddle: whatever single field of whatever step is altered, the
// path no longer holds.
func TestNoForgedMiddle(t *testing.T) {
	events := log(300)
	sound := path(events, 300, 201, 37)
	for i := range sound.Steps {
		for field := range 4 {
			p := sound
			p.Steps = slices.Clone(sound.Steps)
			s := &p.Steps[i]
			switch field {
			case 0:
				s.Sequence++
			case 1:
				s.Previous[3] ^= 1
			case 2:
				s.Skip[3] ^= 1
			case 3:
				s.Body[3] ^= 1
			}
			check.That(t, p.Check() != nil, "step %d, field %d: altered and not noticed", i, field)
		}
	}
}

func Example() {
	way := Way(60, 43)
	fmt.Println(way)
	// Output: [60 59 58 57 53 52 48 44 43]
}

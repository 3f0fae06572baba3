package part_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// drawWorld draws sources of few logs whose events are often the same: copies that
// differ, copies that arrive again, batches that are torn, mixed or a lie.
func drawWorld(t *rapid.T) *world {
	w := &world{}
	for n := range rapid.IntRange(1, 3).Draw(t, "sources") {
		w.sources = append(w.sources, drawSource(t, n))
	}
	return w
}

func drawSource(t *rapid.T, n int) source {
	s := source{share: part.Share{Source: sha256.Sum256([]byte{byte(n)}), Complete: true,
		Paths:      []part.Path{{Given: fmt.Sprintf("f%d", n), Absolute: fmt.Sprintf("/f%d", n)}},
		Containers: []part.Container{{Format: "journal"}, {Path: "inside", Format: "json", Why: "a brace"}}}}
	end, next := int64(0), uint64(1)
	for range rapid.IntRange(0, 24).Draw(t, "records") {
		r := record{place: part.Place{Container: rapid.IntRange(0, 1).Draw(t, "container"),
			Offset: end + rapid.Int64Range(0, 2).Draw(t, "gap"), Length: rapid.Int64Range(1, 500).Draw(t, "length")}}
		end = r.place.Offset + r.place.Length
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			b := []byte{rapid.ByteRange(0, 2).Draw(t, "document")}
			r.document = &part.Document{SHA256: sha256.Sum256(b), Kind: "bundle", Walk: b, Cross: b}
		case 1:
			r.skip = &part.Skip{Code: "NOT_JSON", Detail: "text", Excerpt: []byte("x"), Spans: 1}
		default:
			if rapid.IntRange(0, 3).Draw(t, "jump") == 0 {
				next = rapid.Uint64Range(1, 40).Draw(t, "sequence")
			}
			drawEvent(t, &r, next)
			next++
		}
		s.records = append(s.records, r)
	}
	s.share.Size = end
	return s
}

// logs are the logs of the drawn events.
var logs = []facts.Log{{TenantID: "t", LogID: "node/n"}, {TenantID: "t", LogID: "tenant/t"}}

// hashOf is the recorded hash of an event in its usual copy.
func hashOf(n uint64) chain.Hash {
	if n == 0 {
		return chain.Hash{9}
	}
	return sha256.Sum256(binary.BigEndian.AppendUint64(nil, n))
}

// eventOf is the usual copy of an event.
func eventOf(n uint64) part.Copy {
	c := part.Copy{Size: int64(200 + n%7)}
	c.Link = chain.Link{Sequence: n, Previous: hashOf(n - 1), Skip: hashOf(chain.Skip(n))}
	c.Recorded, c.Computed, c.Signed = hashOf(n), hashOf(n), event.OverContent
	c.KeyID, c.Type = "key-1", []string{"tool.called", "approval.recorded", "x"}[n%3]
	c.OccurredAt = 1_700_000_000_000 + int64(n*n%997)
	sum := sha256.Sum256(c.Recorded[:])
	copy(c.Digest[:], sum[:])
	return c
}

func drawEvent(t *rapid.T, r *record, n uint64) {
	r.log = rapid.SampledFrom(logs).Draw(t, "log")
	r.copy = eventOf(n)
	if variant := rapid.IntRange(0, 12).Draw(t, "variant"); variant < 3 {
		r.copy.Digest[0] ^= byte(1 + variant)
		switch variant {
		case 0:
			r.copy.Recorded[0]++
		case 1:
			r.copy.Computed, r.copy.Signed, r.copy.Previous = chain.Hash{7}, event.Neither, chain.Hash{}
		case 2:
			r.copy.Skip, r.copy.KeyID, r.copy.Signed = chain.Hash{8}, "key-2", event.OverRecorded
		}
	}
	r.arrival = part.Arrival{Fidelity: facts.Fidelity(rapid.IntRange(1, 4).Draw(t, "fidelity"))}
	if rapid.Bool().Draw(t, "observed") {
		r.arrival.ObservedAt = rapid.Int64().Draw(t, "observed at")
	}
	if r.copy.Type == "approval.recorded" {
		r.said = []byte(`{"decision":"allow"}`)
	}
	if rapid.Bool().Draw(t, "batched") {
		r.arrival.Batch = drawBatch(t, r.log, n)
	}
}

// drawBatch draws the ids under which an event came: the id of the 2, 4 or 8 events around it,
// and sometimes a further one.
func drawBatch(t *rapid.T, log facts.Log, n uint64) string {
	size := rapid.SampledFrom([]uint64{2, 4, 8}).Draw(t, "batch size")
	var hashes []chain.Hash
	for i := n - n%size; i < n-n%size+size; i++ {
		hashes = append(hashes, hashOf(max(1, i)))
	}
	ids := []string{"record:" + batchID(log, hashes)}
	if rapid.IntRange(0, 4).Draw(t, "further id") == 0 {
		ids = append(ids, "resource:all")
	}
	b, _ := json.Marshal(ids)
	return string(b)
}

// readWhole reads all records of a part, and returns the first error.
func readWhole(f *part.File) error {
	c, err := part.Merge(f)
	if err != nil {
		return err
	}
	ctx := context.Background()
	var errs []error
	note := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	for _, err := range c.Skips(ctx) {
		note(err)
	}
	for _, err := range c.Documents(ctx) {
		note(err)
	}
	for _, log := range c.Logs() {
		for _, err := range c.Copies(ctx, log, 0) {
			note(err)
		}
		for _, err := range c.Statements(ctx, log, 0) {
			note(err)
		}
	}
	for _, err := range c.Batches(ctx) {
		note(err)
	}
	return errors.Join(errs...)
}

// FuzzOpen: a part that is read without a fault is the only form of its content: it is written
// again byte for byte.
func FuzzOpen(f *testing.F) {
	for seed := range 12 {
		w := rapid.Custom(drawWorld).Example(seed)
		f.Add(framesOf(octets(f, w.content(w.whole()...), nil)))
	}
	f.Add(framesOf(octets(f, ordinary(1, 2, 1, 500), nil)))
	f.Fuzz(func(t *testing.T, frames []byte) { oneForm(t, part.Sealed(frames)) })
}

// FuzzCopies is FuzzOpen for the content of one block of copies.
func FuzzCopies(f *testing.F) {
	frames := part.Split(octets(f, ordinary(1, 2, 1, 200), nil))
	n := slices.IndexFunc(frames, func(f part.Frame) bool { return f.Kind == part.OfCopies })
	for _, frame := range frames {
		if frame.Kind == part.OfCopies {
			f.Add(frame.Content)
		}
	}
	for seed := range 12 {
		w := rapid.Custom(drawWorld).Example(seed)
		for _, frame := range part.Split(octets(f, w.content(w.whole()...), nil)) {
			if frame.Kind == part.OfCopies {
				f.Add(frame.Content)
			}
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		frames[n].Content = content
		oneForm(t, part.Join(frames[:n+1]...))
	})
}

// oneForm fails if a part is read without a fault and written again otherwise. It
// reports whether it was read.
func oneForm(t *testing.T, b []byte) bool {
	p, err := part.Open(context.Background(), bytes.NewReader(b), int64(len(b)), nil)
	if err != nil || readWhole(p) != nil {
		return false
	}
	var again bytes.Buffer
	must.OK(t, check.Err(part.Write(context.Background(), &again, must.Get(part.Merge(p))(t), nil)),
		"what was read cannot be written")
	must.That(t, bytes.Equal(again.Bytes(), b),
		"%d octets are written again as %d:\n%x\n%x", len(b), again.Len(), b, again.Bytes())
	return true
}

// framesOf returns a part without its trailer.
func framesOf(b []byte) []byte { return b[:len(b)-part.TrailerSize] }

// TestFewerFrames: a part without its last frames, or without any one frame, is refused or is
// the only form of its content.
func TestFewerFrames(t *testing.T) {
	refused, kept := 0, 0
	for seed := range 12 {
		w := rapid.Custom(drawWorld).Example(seed)
		frames := part.Split(octets(t, w.content(w.whole()...), nil))
		for i := range frames {
			for _, fewer := range [][]part.Frame{frames[:i], slices.Delete(slices.Clone(frames), i, i+1)} {
				if oneForm(t, part.Join(fewer...)) {
					kept++
				} else {
					refused++
				}
			}
		}
	}
	check.That(t, refused != 0 && kept != 0, "%d were refused and %d kept", refused, kept)
}

// TestMutated: each change of one byte, with a corrected digest, is noticed, or gives a part
// that is the only form of its content.
func TestMutated(t *testing.T) {
	w := rapid.Custom(drawWorld).Example(3)
	frames := framesOf(octets(t, w.content(w.whole()...), nil))
	refused, kept, every := 0, 0, chance.Sized(1, 5)
	for i := 0; i < len(frames); i += every {
		changed := bytes.Clone(frames)
		changed[i] ^= []byte{1, 0x80}[i%2]
		if oneForm(t, part.Sealed(changed)) {
			kept++
		} else {
			refused++
		}
	}
	check.That(t, refused != 0 && kept != 0, "%d changes were refused and %d kept", refused, kept)
}

package casefile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/must"
)

// drawn is one arrival of an event, in the words of the test.
type drawn struct {
	log, sequence, variant int // all from 0, the sequence from 1
	kind, transaction      int
	at                     int64
	source                 int
	batch                  string
}

func draw(t *rapid.T) []drawn {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) drawn {
		d := drawn{log: rapid.IntRange(0, 1).Draw(t, "log"), sequence: rapid.IntRange(1, 14).Draw(t, "sequence"),
			variant: rapid.IntRange(0, 2).Draw(t, "variant")}
		// What a copy says is a function of which one it is.
		n := d.log*1000 + d.sequence*10 + d.variant
		d.kind, d.transaction, d.at = n%3, n%4, int64(d.sequence*1000+n%7*500)
		d.source = rapid.IntRange(0, 2).Draw(t, "source")
		d.batch = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "batch")
		return d
	}), 0, 40).Draw(t, "arrivals")
}

func nameOfLog(n int) string { return fmt.Sprintf("node/%d", n) }

func (d drawn) arrival(record int) Arrival {
	body := []byte("{}")
	a := Arrival{Found: Found{Record: int64(record), Offset: int64(record * 10), Length: 9}, Fidelity: facts.Exact,
		Line: &event.Line{
			TenantID: []byte("acme"), LogID: []byte(nameOfLog(d.log)), Type: fmt.Appendf(nil, "type.%d", d.kind),
			KeyID: []byte("key"), OccurredAt: d.at, Body: body,
			Recorded: chain.Hash{byte(d.log), byte(d.sequence), byte(d.variant)},
			Link:     chain.Link{Sequence: uint64(d.sequence), Body: sha256.Sum256(body)}}}
	if d.transaction > 0 {
		a.Line.TransactionID = fmt.Appendf(nil, "tx-%d", d.transaction)
	}
	if d.batch != "" {
		a.Batch = facts.Batches([]facts.BatchID{{Where: "record", ID: d.batch}})
	}
	return a
}

// fillDrawn makes a case of the arrivals, each source at once.
func fillDrawn(t *rapid.T, path string, all []drawn) (*Writer, []int64) {
	w := must.Get(OpenWrite(path))(t)
	numbers := make([]int64, 3)
	for source := range numbers {
		p := must.Get(w.Start(1, chain.Hash{}))(t)
		numbers[source] = p.Source
		chunk := &Chunk{Source: p.Source, Containers: []Container{{Format: "otlp-json"}}}
		for i, d := range all {
			if d.source == source {
				chunk.Events = append(chunk.Events, d.arrival(i))
			}
		}
		p.ReadSHA256 = chain.Hash{byte(source + 1)}
		must.Do(t, w.Add(chunk, p))
	}
	must.Do(t, w.Index())
	must.Do(t, w.Commit())
	return w, numbers
}

// fillLong is [fillDrawn] of a drawn case in which some events take more than a page, and
// lists its logs.
func fillLong(t *rapid.T, dir string) (*Writer, []Log) {
	w, _ := fillDrawn(t, filepath.Join(dir, "case.db"), draw(t))
	long := strings.Repeat("x", 20_000)
	must.Do(t, errors.Join(w.begin(), w.conn.Run("UPDATE events SET transaction_id = ? WHERE event % 4 = 1", long),
		w.Commit()))
	return w, must.Get(w.Logs(t.Context()))(t)
}

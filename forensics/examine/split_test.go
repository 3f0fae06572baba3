package examine

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// exported is when the first export was made, shortly after all events.
var exported = time.Date(2026, time.March, 2, 12, 30, 0, 0, time.UTC)

// parcel is copies of events that are sent together, under a batch id or none.
type parcel struct {
	copies     []walktest.Copy
	id         string
	structured bool // taken apart on the way
}

// source is one file of the evidence, and the copies that stand in it, in order.
type source struct {
	name    string
	content []byte
	copies  []walktest.Copy
}

func logOf(c walktest.Copy) facts.Log {
	body := seal.Member(c.Object, "body")
	return facts.Log{TenantID: seal.Text(body, "tenant_id"), LogID: seal.Text(body, "log_id")}
}

// batchID is the id of a batch (SPEC 9.2), by the hashes that are written in its
// events.
func batchID(copies []walktest.Copy) string {
	h := sha256.New()
	h.Write([]byte("svc.audit-batch.v1\x00" + logOf(copies[0]).LogID + "\x00"))
	for _, c := range copies {
		one := must.Have(seal.ParseHash(seal.Text(c.Object, "hash")))
		h.Write(one[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// parcelsOf draws how the copies of a world are sent: in runs of any length,
// some of them again, some overlapping, and not always under the right id.
func parcelsOf(t *rapid.T, w *walktest.World) []parcel {
	var all []parcel
	for _, l := range walktest.SortedLogs(w.Copies) {
		list := w.Copies[l]
		for from := 0; from < len(list); {
			p := drawParcel(t, list[from:])
			from += len(p.copies)
			all = append(all, again(t, p)...)
		}
		if len(list) > 0 && rapid.Bool().Draw(t, "overlap") {
			all = append(all, drawParcel(t, list[rapid.IntRange(0, len(list)-1).Draw(t, "from"):]))
		}
	}
	return shuffled(t, all)
}

// shuffled draws an order.
func shuffled[T any](t *rapid.T, all []T) []T {
	mixed := slices.Clone(all)
	rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0)).Shuffle(len(mixed),
		func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	return mixed
}

// drawParcel draws some copies from the beginning of a list, all sent the same way.
func drawParcel(t *rapid.T, list []walktest.Copy) parcel {
	n, most := 1, rapid.IntRange(1, 9).Draw(t, "events")
	for n < min(most, len(list)) && list[n].Apart == list[0].Apart {
		n++
	}
	p := parcel{copies: list[:n], structured: list[0].Apart}
	switch rapid.IntRange(0, 7).Draw(t, "id") {
	case 0:
	case 1:
		p.id = "01J8KQ" + rapid.StringMatching("[AB]").Draw(t, "name")
	case 2:
		p.id = batchID(list[:min(n+1, len(list))]) // the last event of the batch was lost
	case 3:
		p.id = batchID(list[:1])
	default:
		p.id = batchID(p.copies)
	}
	return p
}

// again delivers a parcel once or a few times. The bytes of its events come
// through at least once if they ever do.
func again(t *rapid.T, p parcel) []parcel {
	all := []parcel{p}
	for range max(0, rapid.IntRange(-4, 2).Draw(t, "again")) {
		next := p
		next.structured = p.structured || rapid.IntRange(0, 3).Draw(t, "structured") == 0
		if rapid.IntRange(0, 3).Draw(t, "without id") == 0 {
			next.id = ""
		}
		all = append(all, next)
	}
	return all
}

// single are the formats whose files contain one dump each.
var single = []string{"json-array", "s3-json", "s3-json-gzip", "s3-proto", "loki-api", "elastic-hits",
	"clickhouse-json"}

// carries reports whether a format carries a parcel as it is to go.
func carries(f dumps.Format, p parcel) bool {
	if p.structured {
		return f.Structure == read.Recanonicalised
	}
	return f.Text == read.Exact || f.Text == read.Unquoted
}

// split draws how the copies and the documents of a world are spread over files.
func split(t *rapid.T, w *walktest.World) []source {
	var files []source
	for parcels := parcelsOf(t, w); len(parcels) > 0; {
		fit := slices.DeleteFunc(dumps.Formats(), func(f dumps.Format) bool { return !carries(f, parcels[0]) })
		f := fit[rapid.IntRange(0, len(fit)-1).Draw(t, "format")]
		most := 1
		if !slices.Contains(single, f.Name) {
			most = rapid.IntRange(1, 12).Draw(t, "parcels")
		}
		n := 1
		for n < min(most, len(parcels)) && carries(f, parcels[n]) {
			n++
		}
		var s source
		for _, p := range parcels[:n] {
			s.write(t, f, p)
		}
		files, parcels = append(files, wrapped(t, s)), parcels[n:]
	}
	for _, d := range w.Docs {
		files = append(files, wrapped(t, source{content: append(seal.Canonical(d), '\n')}))
	}
	return named(t, archived(t, shuffled(t, files)))
}

// write appends a parcel to a source.
func (s *source) write(t *rapid.T, f dumps.Format, p parcel) {
	o := dumps.Options{Structured: p.structured, Size: rapid.IntRange(0, 3).Draw(t, "size"),
		Time: exported.Add(time.Duration(len(s.content)) * time.Millisecond).UnixNano()}
	if p.id != "" {
		o.Batches = []string{p.id}
		if f.Resource && rapid.Bool().Draw(t, "in resource") {
			o.Where = read.InResource
		}
	}
	var bodies [][]byte
	for _, c := range p.copies {
		bodies = append(bodies, seal.Canonical(c.Object))
	}
	s.copies = append(s.copies, p.copies...)
	s.content = append(s.content, f.Write(bodies, o)...)
}

// wrapped compresses some of the sources.
func wrapped(t *rapid.T, s source) source {
	if rapid.IntRange(0, 3).Draw(t, "compressed") > 0 {
		return s
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Have(w.Write(s.content))
	must.Have(0, w.Close())
	s.content = b.Bytes()
	return s
}

// archived puts some of the files together into archives.
func archived(t *rapid.T, files []source) []source {
	var all []source
	for len(files) > 0 {
		n := min(len(files), max(1, rapid.IntRange(-3, 4).Draw(t, "members")))
		if n == 1 {
			all, files = append(all, files[0]), files[1:]
			continue
		}
		var s source
		var members []string
		for i, f := range files[:n] {
			members = append(members, fmt.Sprintf("dump/%d", (i+3)%n), string(f.content))
			s.copies = append(s.copies, f.copies...)
		}
		s.content = []byte(must.Tar(members...))
		all, files = append(all, wrapped(t, s)), files[n:]
	}
	return all
}

// named names the files, and removes duplicates: files with the same content are one source.
func named(t *rapid.T, files []source) []source {
	endings := []string{"", ".gz", ".json", ".tar", ".ndjson"}
	seen := map[string]bool{}
	files = slices.DeleteFunc(files, func(s source) bool {
		was := seen[string(s.content)]
		seen[string(s.content)] = true
		return was
	})
	for i := range files {
		files[i].name = fmt.Sprintf("%s%02d%s", rapid.SampledFrom([]string{"", "a/", "b/c/"}).Draw(t, "folder"), i,
			rapid.SampledFrom(endings).Draw(t, "ending"))
	}
	return files
}

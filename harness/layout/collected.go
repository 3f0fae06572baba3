package layout

import (
	"archive/tar"
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/fleet"
)

// zone is where the collectors are: their midnight is in the middle of a scene.
var zone = time.FixedZone("", 13*60*60)

// delivery is a batch that came to a collector.
type delivery struct {
	*fleet.Batch
	collector int
	at        time.Time
}

// allDeliveries returns every delivery with its collector and time, retries included.
func (l *laying) allDeliveries(batches []*fleet.Batch) []delivery {
	var all []delivery
	for i, b := range batches {
		d := delivery{b, l.collectorOf(i, b), b.Sent}
		all = append(all, d)
		again := l.chance.Below(8) == 0
		switch {
		case !again:
		case l.plan[retries] == atOnce:
			all = append(all, d)
		case l.plan[retries] == afterMidnight:
			all = append(all, delivery{b, d.collector, nextMidnight(b.Sent).Add(time.Minute)})
		case l.plan[retries] == elsewhere:
			all = append(all, delivery{b, (d.collector + 1) % l.collectorCount(), b.Sent.Add(time.Second)})
		}
		if l.plan[services] != alone && i%3 == 0 {
			all = append(all, delivery{otherService(i, b.Sent), d.collector, b.Sent})
		}
	}
	slices.SortStableFunc(all, func(a, b delivery) int { return a.at.Compare(b.at) })
	return all
}

// nextMidnight is the next midnight of the collectors, unless that has passed.
func nextMidnight(t time.Time) time.Time {
	local := t.In(zone)
	return time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, zone)
}

// collectorCount is how many collectors there are.
func (l *laying) collectorCount() int {
	return map[string]int{oneCollector: 1, byTurns: 2, byNode: 3, partitions: 4}[l.plan[collectors]]
}

// collectorOf returns the collector that received a batch.
func (l *laying) collectorOf(i int, b *fleet.Batch) int {
	if l.plan[collectors] == byNode {
		nodes := slices.Sorted(maps.Keys(l.scene.Journals))
		return slices.Index(nodes, b.Node) % l.collectorCount()
	}
	return i % l.collectorCount()
}

// otherService returns a batch of another service.
func otherService(i int, at time.Time) *fleet.Batch {
	bodies := [][]byte{
		[]byte(`{"level":"info","msg":"GET /health","status":200,"latency":0.7,"error":null}`),
		[]byte(`{"event":"login","hash":"none","key_id":"web","signature":"-","tenant_id":"acme-corp"}`),
		[]byte(`payments-api: served 17 requests`),
	}
	return &fleet.Batch{Bodies: bodies[i%len(bodies):], Sent: at}
}

// layCollected lays the collectors' files.
func (l *laying) layCollected(root string, batches []*fleet.Batch) {
	if l.plan[collectors] == noCollector {
		return
	}
	if l.plan[services] == halfCollected { // the last batch is being written
		defer l.writeHalf(root, batches[len(batches)-1])
		batches = batches[:len(batches)-1]
	}
	l.holdBatch(batches)
	parts := map[string][]*fleet.Batch{}
	var names []string
	for i, d := range l.allDeliveries(batches) {
		name := path.Join(root, l.fileOf(i, d))
		if parts[name] == nil {
			names = append(names, name)
		}
		parts[name] = append(parts[name], d.Batch)
	}
	for _, name := range names {
		l.rotateFiles(name, parts[name])
	}
}

// extensions are how files of a format end.
var extensions = map[string]string{framesFormat: ".binpb", objectsFormat: ".json.gz"}

// fileOf is the path of the file of a delivery, before rotation.
func (l *laying) fileOf(i int, d delivery) string {
	local := d.at.In(zone)
	collector, name := fmt.Sprintf("collector-%d", d.collector), "events"
	switch l.plan[collectors] {
	case oneCollector:
		collector = ""
	case partitions:
		collector, name = "", fmt.Sprintf("events-%d", d.collector)
	}
	folder := ""
	switch l.plan[folders] {
	case daily:
		folder = local.Format("2006-01-02")
	case hourly:
		folder = local.Format("2006/01/02/15")
	case keyed:
		folder = local.Format("year=2006/month=01/day=02/hour=15")
	case dated:
		name += local.Format("-2006-01-02T15")
	}
	if l.plan[format] == objectsFormat { // an object a delivery
		name += fmt.Sprintf("_%09d", i)
	}
	return path.Join(collector, folder, name+cmp.Or(extensions[l.plan[format]], ".json"))
}

// rotateAfter is how many deliveries a file has that is rotated.
const rotateAfter = 5

// rotateFiles writes the deliveries of a file, the oldest into files that were put
// aside.
func (l *laying) rotateFiles(name string, batches []*fleet.Batch) {
	if l.plan[rotation] == notRotated || l.plan[format] == objectsFormat {
		l.dumpStore(name, batches)
		return
	}
	parts := slices.Collect(slices.Chunk(batches, rotateAfter))
	for i, part := range parts {
		back := len(parts) - 1 - i
		at := name
		switch {
		case l.plan[rotation] == bySize:
			ext := path.Ext(name)
			at = fmt.Sprintf("%s-%06d-size%s", strings.TrimSuffix(name, ext), i, ext)
		case back > 0:
			at = fmt.Sprintf("%s.%d", name, back)
		}
		l.dumpStore(at, part)
		if l.plan[rotation] == numbered && back > 1 && l.plan[packing] == plain {
			l.compressFile(at)
		}
	}
}

func (l *laying) dumpStore(name string, batches []*fleet.Batch) {
	content, err := fleet.Dump(l.plan[format], batches...).Bytes()
	l.err = cmp.Or(l.err, err)
	l.putFile(name, content)
}

// writeHalf writes half a record to the end of the newest file. Objects are written whole or
// not at all, and so are frames here: the length of a frame shows how much of it is missing.
func (l *laying) writeHalf(root string, b *fleet.Batch) {
	if l.plan[format] == objectsFormat || l.plan[format] == framesFormat {
		return
	}
	one := *b
	one.Bodies = b.Bodies[:1]
	record, err := fleet.Dump(l.plan[format], &one).Bytes()
	l.err = cmp.Or(l.err, err)
	name := path.Join(root, l.fileOf(0, delivery{b, l.collectorOf(len(l.batches)-1, b), b.Sent}))
	if l.plan[rotation] == bySize {
		ext := path.Ext(name)
		for i := 0; ; i++ {
			at := fmt.Sprintf("%s-%06d-size%s", strings.TrimSuffix(name, ext), i, ext)
			if _, ok := l.files[at]; !ok {
				name = at
				break
			}
		}
	}
	var before []byte
	if _, ok := l.files[name]; ok {
		before = l.contentOf(name)
	}
	l.half = true
	l.putFile(name, append(before, record[:len(record)/2]...))
}

// laySecond lays another store, or the same one as it was before.
func (l *laying) laySecond() {
	if l.plan[collectors] == noCollector {
		return
	}
	all := l.sentBatches(l.logs)
	other, name := lokiFormat, "archive/query.jsonl"
	if l.plan[format] == lokiFormat {
		other, name = elasticFormat, "archive/search.jsonl"
	}
	switch l.plan[second] {
	case replica:
	case retention:
		all = all[len(all)*2/3:]
	case olderStore:
		l.layCollected("collected-before", all[:len(all)/2])
		return
	default:
		return
	}
	l.holdBatch(all)
	content, err := fleet.Dump(other, all...).Bytes()
	l.err = cmp.Or(l.err, err)
	l.putFile(name, content)
}

// packCollected packs the collected files.
func (l *laying) packCollected() {
	byRoot := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		if root, _, _ := strings.Cut(name, "/"); strings.HasPrefix(root, "collected") {
			byRoot[root] = append(byRoot[root], name)
		}
	}
	for root, names := range byRoot {
		switch l.plan[packing] {
		case gzipped:
			for _, name := range names {
				l.compressFile(name)
			}
		case tarball:
			l.packArchive(root+".tar", names)
			l.compressFile(root + ".tar")
		case tarred:
			l.packArchive(root+".tar", names)
		}
	}
}

// compressFile replaces a file by one in gzip.
func (l *laying) compressFile(name string) {
	if strings.HasSuffix(name, ".gz") {
		return
	}
	content := l.contentOf(name)
	delete(l.files, name)
	l.putFile(name+".gz", dumps.Gzip(content))
}

// packArchive replaces files by one archive of them.
func (l *laying) packArchive(name string, names []string) {
	var b bytes.Buffer
	w := tar.NewWriter(&b) // a buffer accepts everything
	for _, n := range names {
		content := l.contentOf(n)
		delete(l.files, n)
		_ = w.WriteHeader(&tar.Header{Name: n, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg})
		_, _ = w.Write(content)
	}
	_ = w.Close()
	l.putFile(name, b.Bytes())
}

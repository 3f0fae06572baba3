package archive_test

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// members are files that are packed together, by their names.
type members map[string][]byte

// journals returns the journals of a scene as files.
func journals() members {
	all := members{}
	for node, events := range revoked().Journals {
		for _, event := range events {
			all[node+".ndjson"] = append(append(all[node+".ndjson"], seal.Canonical(event)...), '\n')
		}
	}
	return all
}

// zipped packs files in order.
func (m members) zipped() []byte { return []byte(must.Zip(zip.Deflate, must.Pairs(m)...)) }

// reversed packs files in the reverse order.
func (m members) reversed() []byte {
	var pairs []string
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(m))) {
		pairs = append(pairs, name, string(m[name]))
	}
	return []byte(must.Zip(zip.Deflate, pairs...))
}

// tarred packs files as a tar file, compressed by gzip.
func (m members) tarred() []byte {
	moved := members{}
	for name, content := range m {
		moved["moved/"+name] = content
	}
	return []byte(must.Gzip(must.Tar(must.Pairs(moved)...)))
}

// TestRepacked: the same journals in another packing, order and folder are the same evidence, also at
// another path; with one event or one journal less, or an event altered, they are not.
func TestRepacked(t *testing.T) {
	all := journals()
	first := slices.Sorted(maps.Keys(all))[0]
	less, cut, altered := maps.Clone(all), maps.Clone(all), maps.Clone(all)
	delete(less, first)
	cut[first] = all[first][:bytes.LastIndexByte(bytes.TrimSpace(all[first]), '\n')+1]
	altered[first] = bytes.Replace(all[first], []byte(`"occurred_at":"2026`), []byte(`"occurred_at":"2027`), 1)
	read := maps.Clone(all)
	read["README"] = []byte("These are the journals.\n")
	for name, one := range map[string]struct {
		packed []byte
		class  archive.Class
		moved  archive.Class
		is     outcome.Class
	}{
		"another order":     {all.reversed(), archive.Repacked, archive.Repacked, outcome.Verified},
		"another packing":   {all.tarred(), archive.Repacked, archive.Repacked, outcome.Verified},
		"with a note":       {read.tarred(), archive.Repacked, archive.Repacked, outcome.Verified},
		"a journal less":    {less.tarred(), archive.Replaced, archive.Added, outcome.Rejected},
		"an event less":     {cut.zipped(), archive.Replaced, archive.Added, outcome.Rejected},
		"an altered event":  {altered.zipped(), archive.Altered, archive.Added, outcome.Rejected},
		"the same as it is": {all.zipped(), archive.Intact, archive.Moved, outcome.Verified},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.write("a.zip", all.zipped())
			b.write("b.json", b.one)
			b.write("c.json", b.other)
			want(t, b.check(), "a.zip", archive.Added, outcome.Verified)
			b.write("a.zip", one.packed)
			want(t, b.check(), "a.zip", one.class, one.is)
			if one.class == archive.Repacked {
				want(t, b.check(), "a.zip", archive.Intact, outcome.Verified)
				b.write("a.zip", all.zipped())
				want(t, b.check(), "a.zip", archive.Repacked, outcome.Verified)
			} else {
				b.write("a.zip", all.zipped())
				b.check()
			}
			b.remove("a.zip")
			b.write("d.bin", one.packed)
			r := want(t, b.check(), "d.bin", one.moved, one.is)
			check.That(t, (r.From == "a.zip") == (one.moved != archive.Added), "it comes from %q", r.From)
		})
	}
}

// TestRepackedProof: a packed proof is the same evidence in another packing, and another proof is not.
func TestRepackedProof(t *testing.T) {
	b := newBench(t)
	b.write("a", members{"a.json": b.one}.zipped())
	b.check()
	b.write("a", members{"b.json": b.one}.tarred())
	want(t, b.check(), "a", archive.Repacked, outcome.Verified)
	b.write("a", members{"a.json": b.other}.zipped())
	want(t, b.check(), "a", archive.Replaced, outcome.Rejected)
}

// TestRepackedTwice: for an object that is gone, only one new object counts as moved or
// repacked.
func TestRepackedTwice(t *testing.T) {
	b := newBench(t)
	packed := journals()
	b.write("m.zip", packed.zipped())
	b.write("b.json", b.one)
	b.write("c.json", b.other)
	b.check()
	b.remove("m.zip")
	b.write("a.tgz", packed.tarred())
	b.write("n.zip", packed.zipped())
	b.write("z.zip", packed.reversed())
	all := classes(t, b.check())
	var found []string
	for path, class := range all {
		if class == archive.Repacked || class == archive.Moved {
			found = append(found, path)
		}
	}
	check.That(t, len(found) == 1 && len(all) == 5, "%s are m.zip, of %v", strings.Join(found, ", "), all)
}

package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
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

// zipped packs files in order, or in the reverse order.
func (m members) zipped(t *testing.T, reverse bool) []byte {
	names := slices.Sorted(maps.Keys(m))
	if reverse {
		slices.Reverse(names)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range names {
		_ = must.Have(must.Have(z.Create(name)).Write(m[name]))
	}
	must.Do(t, z.Close())
	return out.Bytes()
}

// tarred packs files as a tar file, compressed by gzip.
func (m members) tarred(t *testing.T) []byte {
	var out bytes.Buffer
	g := gzip.NewWriter(&out)
	w := tar.NewWriter(g)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		must.Do(t, w.WriteHeader(&tar.Header{Name: "moved/" + name, Mode: 0o600, Size: int64(len(m[name]))}))
		_ = must.Have(w.Write(m[name]))
	}
	must.Do(t, w.Close())
	must.Do(t, g.Close())
	return out.Bytes()
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
		"another order":     {all.zipped(t, true), archive.Repacked, archive.Repacked, outcome.Verified},
		"another packing":   {all.tarred(t), archive.Repacked, archive.Repacked, outcome.Verified},
		"with a note":       {read.tarred(t), archive.Repacked, archive.Repacked, outcome.Verified},
		"a journal less":    {less.tarred(t), archive.Replaced, archive.Added, outcome.Rejected},
		"an event less":     {cut.zipped(t, false), archive.Replaced, archive.Added, outcome.Rejected},
		"an altered event":  {altered.zipped(t, false), archive.Altered, archive.Added, outcome.Rejected},
		"the same as it is": {all.zipped(t, false), archive.Intact, archive.Moved, outcome.Verified},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.write("a.zip", all.zipped(t, false))
			b.write("b.json", b.one)
			b.write("c.json", b.other)
			want(t, b.check(), "a.zip", archive.Added, outcome.Verified)
			b.write("a.zip", one.packed)
			want(t, b.check(), "a.zip", one.class, one.is)
			if one.class == archive.Repacked {
				want(t, b.check(), "a.zip", archive.Intact, outcome.Verified)
				b.write("a.zip", all.zipped(t, false))
				want(t, b.check(), "a.zip", archive.Repacked, outcome.Verified)
			} else {
				b.write("a.zip", all.zipped(t, false))
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
	b.write("a", members{"a.json": b.one}.zipped(t, false))
	b.check()
	b.write("a", members{"b.json": b.one}.tarred(t))
	want(t, b.check(), "a", archive.Repacked, outcome.Verified)
	b.write("a", members{"a.json": b.other}.zipped(t, false))
	want(t, b.check(), "a", archive.Replaced, outcome.Rejected)
}

// TestRepackedTwice: for an object that is gone, only one new object counts as moved or
// repacked.
func TestRepackedTwice(t *testing.T) {
	b := newBench(t)
	packed := journals()
	b.write("m.zip", packed.zipped(t, false))
	b.write("b.json", b.one)
	b.write("c.json", b.other)
	b.check()
	b.remove("m.zip")
	b.write("a.tgz", packed.tarred(t))
	b.write("n.zip", packed.zipped(t, false))
	b.write("z.zip", packed.zipped(t, true))
	all := classes(t, b.check())
	var found []string
	for path, class := range all {
		if class == archive.Repacked || class == archive.Moved {
			found = append(found, path)
		}
	}
	check.That(t, len(found) == 1 && len(all) == 5, "%s are m.zip, of %v", strings.Join(found, ", "), all)
}

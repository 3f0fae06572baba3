package entry

import (
	"archive/zip"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// stdinEntries returns the entries of bytes.
func stdinEntries(t *testing.T, data string) []told {
	t.Helper()
	got, _ := walkAll(t, "", Source{Paths: []string{Stdin}, Stdin: strings.NewReader(data)})
	return got
}

func failed(entries []told) bool {
	return slices.ContainsFunc(entries, func(e told) bool { return e.Err != "" })
}

// damaged are archives that say by themselves whether they are whole.
func damaged(t *testing.T) map[string]string {
	members := []string{"a", `{"a":1}`, "d/", "", "b.jsonl", "{}\n{}\n", "c", ""}
	tarred := must.Tar(members...)
	return map[string]string{"zip": must.Zip(zip.Deflate, members...), "stored": must.Zip(zip.Store, members...),
		"plain zip": plainZip(t), "tar.gz": must.Gzip(tarred), "tar.zst": zstdOf(t, tarred)}
}

// TestCuts cuts archives at each byte. No cut is silent.
func TestCuts(t *testing.T) {
	all := damaged(t)
	all["tar"] = must.Tar("a", `{"a":1}`, "d/", "", "b.jsonl", "{}\n{}\n")
	for name, data := range all {
		for cut := 0; cut < len(data); cut += chance.Sized(1, 7) {
			got := stdinEntries(t, data[:cut])
			document := len(got) == 1 && got[0].Name == Stdin && got[0].Data == data[:cut] // of too few bytes to tell
			padding := name == "tar" && cut >= len(data)-512
			check.That(t, document || padding || failed(got), "%s, cut to %d of %d octets: %v", name, cut, len(data), got)
			check.That(t, !document || cut < 512, "%s, cut to %d of %d octets: one document", name, cut, len(data))
		}
	}
}

// TestFlips changes each byte of an archive that has checksums. The entries are the
// same, or one is at fault, or one is nothing that was in the archive.
func TestFlips(t *testing.T) {
	for name, data := range damaged(t) {
		want := stdinEntries(t, data)
		genuine := map[string]bool{}
		for _, e := range want {
			genuine[e.Data] = true
		}
		strange := func(e told) bool { return e.Err != "" || !genuine[e.Data] }
		for at := 0; at < len(data); at += chance.Sized(2, 11) {
			for _, bits := range []byte{1, 0x80, 0xff} {
				b := []byte(data)
				b[at] ^= bits
				if got := stdinEntries(t, string(b)); !slices.ContainsFunc(got, strange) && !slices.Equal(got, want) {
					t.Errorf("%s, octet %d of %d by %#x: %v", name, at, len(data), bits, got)
				}
			}
		}
	}
}

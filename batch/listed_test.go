package batch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func sumOf(s string) [32]byte { return sha256.Sum256([]byte(s)) }

func hexOf(s string) string {
	sum := sumOf(s)
	return hex.EncodeToString(sum[:])
}

// TestDigests has each way in which sha256sum writes a line, and near misses.
func TestDigests(t *testing.T) {
	a := hexOf("a")
	spell := strings.NewReplacer("{a}", a, "{A}", strings.ToUpper(a), "{cut}", a[1:], "{wrong}", errDigest.Error())
	for _, row := range append(must.Rows(t, "testdata", "digests.txt"), []string{"a long line",
		a + "  " + strings.Repeat("x", maxLine), "", fmt.Sprintf("line 1: expected at most %d bytes, found more", maxLine)}) {
		data, name, fault := spell.Replace(row[1]), row[2], spell.Replace(row[3])
		t.Run(row[0], func(t *testing.T) {
			l, err := ReadDigests(strings.NewReader(data))
			if fault != "" || err != nil {
				must.That(t, err != nil && err.Error() == fault, "expected the error %q, found %v", fault, err)
				return
			}
			before, _, _ := strings.Cut(strings.ToLower(data), a)
			want := Item{SHA256: sumOf("a"), Name: name, Line: int64(strings.Count(before, "\n")) + 1}
			diff := cmp.Diff([]Item{want}, slices.Collect(l.Missing()))
			check.That(t, diff == "", "%s", diff)
			check.That(t, want.Hex() == a && !l.Digest(sumOf("b")) && l.Digest(sumOf("a")) && l.Digest(sumOf("a")) &&
				len(slices.Collect(l.Missing())) == 0, "the digest is not what is expected")
		})
	}
}

// TestTransactions has ids, and text that is no id.
func TestTransactions(t *testing.T) {
	l := must.Get(ReadTransactions(strings.NewReader("\xef\xbb\xbf# all\r\ntx-2\r\n\ntx-1\ntx-2\n")))(t)
	check.That(t, len(l.items) == 2 && l.Transaction("tx-1") && !l.Transaction("tx-3") && !l.Transaction(""),
		"other transactions than listed are expected")
	want := []Item{{SHA256: sumOf("tx-2"), Name: "tx-2", Line: 2}}
	diff := cmp.Diff(want, slices.Collect(l.Missing()))
	check.That(t, diff == "", "%s", diff)
	for data, want := range map[string]string{
		"":                         "expected at least a transaction, found none",
		"tx-1\ntx 2\n":             "line 2: ",
		"tx-1\ntx/2\n":             "line 2: ",
		" tx-1\n":                  "line 1: ",
		strings.Repeat("x", 101):   "line 1: ",
		"a\x00b":                   "line 1: ",
		"\"tx-1\"\n":               "line 1: ",
		"{\"transaction_id\":1}\n": "line 1: ",
	} {
		if _, err := ReadTransactions(strings.NewReader(data)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("of %q: expected the error %q, found %v", data, want, err)
		}
	}
	check.Do(t, check.Err(ReadTransactions(strings.NewReader(strings.Repeat("x", 100)))))
}

// TestOrder finds exactly the missing items of random lists, in the order of the list.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a-d]{1,2}`)
		listed := rapid.SliceOfN(id, 1, 20).Draw(t, "listed")
		l := must.Get(ReadTransactions(strings.NewReader(strings.Join(listed, "\n"))))(t)
		found := rapid.SliceOf(id).Draw(t, "found")
		for _, f := range found {
			check.That(t, l.Transaction(f) == slices.Contains(listed, f), "%s is expected or not, wrongly", f)
		}
		var want, got []string
		for i, id := range listed {
			if !slices.Contains(found, id) && !slices.Contains(listed[:i], id) {
				want = append(want, fmt.Sprint(id, " ", i+1))
			}
		}
		for m := range l.Missing() {
			got = append(got, fmt.Sprint(m.Name, " ", m.Line))
		}
		diff := cmp.Diff(want, got)
		check.That(t, diff == "", "%s", diff)
	})
}

// TestSha256sum reads the program's output for files with odd names.
func TestSha256sum(t *testing.T) {
	program := must.Program(t, "sha256sum")
	dir := t.TempDir()
	names := []string{"a b", `back\slash`, "line\nfeed", "return\r", "x) = y", "-", "ünï", " "}
	for _, n := range names {
		must.Do(t, os.WriteFile(filepath.Join(dir, n), []byte(n), 0o600))
	}
	for _, how := range []string{"--text", "--binary", "--tag"} {
		c := exec.Command(program, append([]string{how, "--"}, names...)...)
		c.Dir, c.Stdin = dir, strings.NewReader("-")
		out := must.Get(c.Output())(t)
		l, err := ReadDigests(bytes.NewReader(out))
		must.OK(t, err, "%s", how)
		i := 0
		for m := range l.Missing() {
			check.That(t, m.Name == names[i] && m.SHA256 == sumOf(names[i]), "%s: expected %q, found %+v", how, names[i], m)
			i++
		}
		check.That(t, i == len(names), "%s: found %d of %d", how, i, len(names))
	}
}

// FuzzDigests compares the reader with a second one, which uses regular expressions alone.
func FuzzDigests(f *testing.F) {
	a := hexOf("a")
	for _, s := range []string{a + "  x\n" + a + " *y", "SHA256 (x) = " + a, `\` + a + `  x\n`, "#\n\n" + a + "  x\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		l, err := ReadDigests(strings.NewReader(data))
		want, bad := secondReading(data)
		must.That(t, (err != nil) == (bad || len(want) == 0), "found the error %v, expected one: %v, %v", err, bad, want)
		if err != nil {
			return
		}
		got := map[string]string{}
		for m := range l.Missing() {
			got[m.Hex()] = m.Name
		}
		diff := cmp.Diff(want, got)
		check.That(t, diff == "", "%s", diff)
	})
}

package archives

import (
	"bytes"
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// bagit returns bagit's objection to each folder; "" if it is a valid bag.
func bagit(t *testing.T, folders ...string) map[string]string {
	t.Helper()
	out, said, ok := python(t, append([]string{"programs/bags.py", "validate"}, folders...)...)
	must.That(t, ok, "%v", said)
	all := map[string]string{}
	for line := range strings.Lines(out) {
		var answer struct{ Folder, Error string }
		must.Do(t, json.Unmarshal([]byte(line), &answer))
		all[answer.Folder] = answer.Error
	}
	must.That(t, len(all) == len(folders), "%d answers about %d folders", len(all), len(folders))
	return all
}

// ours returns svc-verify's result for a bag.
func ours(t *testing.T, folder string) *bag.Result {
	t.Helper()
	return must.Get(bag.CheckFolder(t.Context(), folder, bag.Options{}))(t)
}

// names contains the names of a payload, as odd as a bag may have them.
var names = []string{"a.json", "2026/11/tx-1.json", "with space", "ü", "u\u0308x", "日本語/本", "*star", "~tilde",
	"-dash", "#hash", "a  b", "'quote\"", "manifest-md5.txt", "bagit.txt", "data/data"}

// written writes a bag of ours.
func written(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "bag")
	w := must.Get(bag.Create(folder))(t)
	t.Cleanup(func() { must.Do(t, w.Discard()) })
	for _, name := range slices.Sorted(slices.Values(names)) {
		must.Get(w.Add(name, strings.NewReader("content of "+name)))(t)
	}
	must.Do(t, w.AddTag("svc-verify/other.jsonl", func(out io.Writer) error {
		return check.Err(io.WriteString(out, "{}\n"))
	}))
	must.Do(t,
		w.Finish([]bag.Tag{{Label: "Bagging-Date", Value: "2026-11-22"}, {Label: "External-Identifier", Value: "ü: x"}}))
	must.Do(t, w.Commit())
	return folder
}

// damage is something done to a bag. Both readers must agree on whether it is still valid,
// unless we are stricter, for the stated reason.
type damage struct {
	name     string
	do       func(folder string) error
	stricter string
}

// edit changes a file of a bag; nil makes it new.
func edit(name string, change func([]byte) []byte) func(string) error {
	return func(folder string) error {
		file := filepath.Join(folder, filepath.FromSlash(name))
		content, err := os.ReadFile(file) // #nosec G304
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		return os.WriteFile(file, change(content), 0o600)
	}
}

func appended(text string) func([]byte) []byte {
	return func(b []byte) []byte { return append(b, text...) }
}

func replaced(old, text string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(text), 1) }
}

// loose makes a bag whose tag files can be changed.
func loose(then func(string) error) func(string) error {
	return func(folder string) error {
		if err := os.Remove(filepath.Join(folder, "tagmanifest-sha512.txt")); err != nil {
			return err
		}
		return then(folder)
	}
}

const zeros = "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"

var damages = []damage{
	{name: "nothing", do: func(string) error { return nil }},
	{name: "no tag manifest", do: loose(func(string) error { return nil })},
	{name: "payload altered", do: edit("data/a.json", func(b []byte) []byte { b[0]++; return b })},
	{name: "payload longer", do: edit("data/a.json", appended(" "))},
	{name: "payload missing", do: func(f string) error { return os.Remove(filepath.Join(f, "data/a.json")) }},
	{name: "payload added", do: edit("data/new", appended(""))},
	{name: "payload renamed", do: func(f string) error {
		return os.Rename(filepath.Join(f, "data/a.json"), filepath.Join(f, "data/b.json"))
	}},
	{name: "form of Unicode changed", do: func(f string) error {
		return os.Rename(filepath.Join(f, "data/ü"), filepath.Join(f, "data/u\u0308"))
	}, stricter: "bagit takes names in both forms for one"},
	{name: "tag file altered", do: edit("svc-verify/other.jsonl", appended("x"))},
	{name: "tag file missing", do: func(f string) error { return os.Remove(filepath.Join(f, "svc-verify/other.jsonl")) }},
	{name: "tag file added", do: edit("note", appended("x"))},
	{name: "bag-info.txt altered", do: edit("bag-info.txt", replaced("2026", "2025"))},
	{name: "oxum of octets", do: loose(edit("bag-info.txt", replaced("Payload-Oxum: ", "Payload-Oxum: 1")))},
	{name: "oxum gone", do: loose(edit("bag-info.txt", replaced("Payload-Oxum", "Payload-Other")))},
	{name: "manifest lists more", do: loose(edit("manifest-sha512.txt", appended(zeros+"  data/x\n")))},
	{name: "manifest lists less",
		do: loose(edit("manifest-sha512.txt", func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] }))},
	{name: "manifest climbs", do: loose(edit("manifest-sha512.txt", appended(zeros+"  data/../../x\n")))},
	{name: "manifest absolute", do: loose(edit("manifest-sha512.txt", appended(zeros+"  /etc/passwd\n")))},
	{name: "manifest with another digest",
		do: loose(edit("manifest-sha512.txt", func(b []byte) []byte { return append([]byte(zeros), b[128:]...) }))},
	{name: "manifest in capitals", do: loose(edit("manifest-sha512.txt", func(b []byte) []byte {
		return append(bytes.ToUpper(b[:128]), b[128:]...)
	}))},
	{name: "lines of Windows",
		do: loose(edit("manifest-sha512.txt",
			func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }))},
	{name: "lines of old systems",
		do: loose(edit("manifest-sha512.txt",
			func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r")) }))},
	{name: "as sha512sum --binary", do: loose(edit("manifest-sha512.txt", replaced("  data/a.json", " *data/a.json")))},
	{name: "name with a dot", do: loose(edit("manifest-sha512.txt", replaced("  data/a.json", "  ./data/a.json"))),
		stricter: "RFC 8493 has no dots in paths"},
	{name: "empty line", do: loose(edit("manifest-sha512.txt", appended("\n"))), stricter: "it is no line of a manifest"},
	{name: "line that is none", do: loose(edit("manifest-sha512.txt", appended("text\n"))),
		stricter: "bagit leaves out lines that are none"},
	{name: "twice with two digests", do: loose(edit("manifest-sha512.txt", appended(zeros+"  data/a.json\n")))},
	{name: "twice the same",
		do: loose(edit("manifest-sha512.txt",
			func(b []byte) []byte { return append(b, b[:bytes.IndexByte(b, '\n')+1]...) }))},
	{name: "no bagit.txt", do: loose(func(f string) error { return os.Remove(filepath.Join(f, "bagit.txt")) })},
	{name: "byte-order mark",
		do: loose(edit("bagit.txt", func(b []byte) []byte { return append([]byte("\ufeff"), b...) }))},
	{name: "no version", do: loose(edit("bagit.txt", replaced("BagIt-Version: 1.0\n", "")))},
	{name: "version 0.97", do: loose(edit("bagit.txt", replaced("1.0", "0.97")))},
	{name: "version 2.0", do: loose(edit("bagit.txt", replaced("1.0", "2.0")))},
	{name: "hole", do: loose(func(f string) error {
		if err := os.Remove(filepath.Join(f, "data/a.json")); err != nil {
			return err
		}
		return edit("fetch.txt", appended("https://example.org/a - data/a.json\n"))(f)
	})},
	{name: "fetch.txt without holes", do: loose(edit("fetch.txt", appended("https://example.org/a - data/a.json\n")))},
	{name: "fetch.txt climbs", do: loose(edit("fetch.txt", appended("https://example.org/a - data/../../x\n")))},
	{name: "second manifest with a part",
		do: loose(edit("manifest-md5.txt", appended("d41d8cd98f00b204e9800998ecf8427e  data/a.json\n")))},
	{name: "names that differ in case", do: loose(func(f string) error {
		if err := edit("data/A.json", appended(""))(f); err != nil {
			return err
		}
		if err := edit("bag-info.txt", replaced("Payload-Oxum", "Payload-Other"))(f); err != nil {
			return err
		}
		return edit("manifest-sha512.txt", appended(fmt.Sprintf("%x  data/A.json\n", sha512.Sum512(nil))))(f)
	}), stricter: "a copy on some systems loses one"},
	{name: "link", do: func(f string) error {
		if err := os.Rename(filepath.Join(f, "data/a.json"), filepath.Join(filepath.Dir(f), "elsewhere")); err != nil {
			return err
		}
		return os.Symlink(filepath.Join(filepath.Dir(f), "elsewhere"), filepath.Join(f, "data/a.json"))
	}},
	{name: "link inside", do: func(f string) error {
		if err := os.Rename(filepath.Join(f, "data/a.json"), filepath.Join(f, "copy")); err != nil {
			return err
		}
		return os.Symlink("../copy", filepath.Join(f, "data/a.json"))
	}, stricter: "no link is followed"},
}

// TestBagsOfOurs: bagit validates our bags, and both agree on each damage.
func TestBagsOfOurs(t *testing.T) {
	var folders []string
	for _, d := range damages {
		folder := written(t)
		must.Do(t, d.do(folder))
		folders = append(folders, folder)
	}
	theirs := bagit(t, folders...)
	valid := 0
	for i, d := range damages {
		r, why := ours(t, folders[i]), theirs[folders[i]]
		switch verified := r.Verdict == outcome.Verified; {
		case verified && why == "":
			valid++
		case verified:
			t.Errorf("%s: bagit says %s", d.name, why)
		case why == "" && d.stricter == "":
			t.Errorf("%s: %s by us alone: %s", d.name, r.Verdict, r.Reason())
		case why != "" && d.stricter != "":
			t.Errorf("%s: we are no stricter: %s", d.name, why)
		}
	}
	check.That(t, valid >= 5 && theirs[folders[0]] == "", "%d bags are valid", valid)
}

// TestBagsOfOthers: we validate bagit's bags, whatever their algorithms.
func TestBagsOfOthers(t *testing.T) {
	for _, algorithms := range [][]string{nil, {"sha512"}, {"sha256"}, {"sha256", "sha512"}, {"md5"}, {"sha1", "md5"},
		{"md5", "sha1", "sha256", "sha512"}, {"sha384", "sha512"}} {
		folder := t.TempDir()
		for _, name := range append(names, "new\nline", "return\r", "100%") {
			file := filepath.Join(folder, filepath.FromSlash(name))
			must.Do(t, os.MkdirAll(filepath.Dir(file), 0o750))
			must.Do(t, os.WriteFile(file, []byte("content of "+name), 0o600))
		}
		if _, said, ok := python(t, append([]string{"programs/bags.py", "make", folder}, algorithms...)...); !ok {
			t.Fatal(said)
		}
		r := ours(t, folder)
		if why := bagit(t, folder)[folder]; r.Verdict != outcome.Verified || why != "" {
			t.Errorf("%q: %s: %s, and bagit says %q", algorithms, r.Verdict, r.Reason(), why)
		}
		must.Do(t, edit("data/ü", appended("x"))(folder))
		if r, why := ours(t, folder), bagit(t, folder)[folder]; r.Verdict != outcome.Rejected || why == "" {
			t.Errorf("%q, damaged: %s, and bagit says %q", algorithms, r.Verdict, why)
		}
	}
}

// TestPercent has a name with a percent sign in a bag of version 1.0. RFC 8493 has it
// encoded, and bagit does not decode it, which is why we refuse to write such names.
func TestPercent(t *testing.T) {
	folder := written(t)
	must.Do(t, edit("data/100%", appended(""))(folder))
	must.Do(t, loose(edit("manifest-sha512.txt", appended(fmt.Sprintf("%x  data/100%%25\n", sha512.Sum512(nil)))))(folder))
	must.Do(t, edit("bag-info.txt", replaced("Payload-Oxum", "Payload-Other"))(folder))
	if r := ours(t, folder); r.Verdict != outcome.Verified {
		t.Errorf("%s: %s", r.Verdict, r.Reason())
	}
	check.That(t, bagit(t, folder)[folder] != "",
		"bagit decodes it now: names with a percent sign need not be refused any more")
	check.That(t, bag.Refused([]string{"100%"})["100%"] != "", "the name is not refused")
}

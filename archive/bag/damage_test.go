package bag_test

import (
	"archive/tar"
	"crypto/md5" // #nosec G501 -- the weak digest is what is tested
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// damage is something done to a genuine bag, and what must be found.
type damage struct {
	name string
	do   func(files)
	want []finding.Code // none: it still verifies
}

// in replaces text in a file of a bag, and fails the test if it is not there.
func in(file, old, replacement string) func(files) {
	return func(f files) {
		if !strings.Contains(f[file], old) {
			panic(file + " has no " + old)
		}
		f[file] = strings.Replace(f[file], old, replacement, 1)
	}
}

// line adds a line to a file of a bag.
func line(file, text string) func(files) { return func(f files) { f[file] += text + "\n" } }

var nothing = strings.Repeat("0", 128)

var damages = []damage{
	{"nothing", func(files) {}, nil},
	{"payload altered", in("data/a", "one", "0ne"), []finding.Code{bag.Altered}},
	{"payload cut", in("data/a", "one", "on"), []finding.Code{bag.Altered, bag.Malformed}},
	{"payload missing", func(f files) { delete(f, "data/a") }, []finding.Code{bag.Missing, bag.Malformed}},
	{"payload added", func(f files) { f["data/c"] = "" }, []finding.Code{bag.Unlisted, bag.Malformed}},
	{"tag file altered", in("note", "x", "y"), []finding.Code{bag.Altered}},
	{"tag file missing", func(f files) { delete(f, "note") }, []finding.Code{bag.Missing}},
	{"bag-info.txt altered", in("bag-info.txt", "6.2", "6.3"), []finding.Code{bag.Altered, bag.Malformed}},
	{"manifest altered", line("manifest-sha512.txt", nothing+" data/x"), []finding.Code{bag.Altered, bag.Missing}},
	{"tag manifest lists a tag manifest", line("tagmanifest-sha512.txt", nothing+"  tagmanifest-sha512.txt"),
		[]finding.Code{bag.Malformed}},
	{"tag manifest lists payload", line("tagmanifest-sha512.txt", digestOf("one")+"  data/a"),
		[]finding.Code{bag.Malformed}},
	{"no bagit.txt", func(f files) { delete(f, "bagit.txt") }, []finding.Code{bag.Malformed}},
	{"no manifest", func(f files) { delete(f, "manifest-sha512.txt") }, []finding.Code{bag.Malformed}},
	{"no payload", func(f files) { delete(f, "data/a"); delete(f, "data/d/b") },
		[]finding.Code{bag.Missing, bag.Malformed, bag.Empty}},
}

// rules are damages by someone who writes the manifests anew.
var rules = []damage{
	{"nothing", func(files) {}, nil},
	{"tag file in no tag manifest is said", func(f files) { delete(f, "tagmanifest-sha512.txt") }, nil},
	{"oxum", in("bag-info.txt", "6.2", "7.2"), []finding.Code{bag.Malformed}},
	{"oxum twice", line("bag-info.txt", "Payload-Oxum: 6.2"), []finding.Code{bag.Malformed}},
	{"oxum of text", in("bag-info.txt", "6.2", "many"), []finding.Code{bag.Malformed}},
	{"negative oxum", in("bag-info.txt", "6.2", "-6.2"), []finding.Code{bag.Malformed}},
	{"info with continued line", line("bag-info.txt", "Note: one\n  two"), nil},
	{"info without colon", line("bag-info.txt", "Note"), []finding.Code{bag.Malformed}},
	{"info begins with a continued line", func(f files) { f["bag-info.txt"] = " x" + f["bag-info.txt"] },
		[]finding.Code{bag.Malformed}},
	{"line ends of Windows", func(f files) {
		for name := range f {
			if strings.HasSuffix(name, ".txt") {
				f[name] = strings.ReplaceAll(f[name], "\n", "\r\n")
			}
		}
	}, nil},
	{"line ends of old systems", func(f files) {
		for name := range f {
			if strings.HasSuffix(name, ".txt") {
				f[name] = strings.ReplaceAll(f[name], "\n", "\r")
			}
		}
	}, nil},
	{"no last line end", func(f files) { f["bagit.txt"] = strings.TrimSuffix(f["bagit.txt"], "\n") }, nil},
	{"byte-order mark", func(f files) { f["bagit.txt"] = "\ufeff" + f["bagit.txt"] }, []finding.Code{bag.Malformed}},
	{"byte-order mark in bag-info.txt", func(f files) { f["bag-info.txt"] = "\ufeff" + f["bag-info.txt"] },
		[]finding.Code{bag.Malformed}},
	{"another encoding", in("bagit.txt", "UTF-8", "UTF-16"), []finding.Code{bag.Unsupported}},
	{"encoding in small letters", in("bagit.txt", "UTF-8", "utf-8"), nil},
	{"no UTF-8", line("bag-info.txt", "Note: \xe9"), []finding.Code{bag.Malformed}},
	{"version 0.97", in("bagit.txt", "1.0", "0.97"), nil},
	{"version 0.96", in("bagit.txt", "1.0", "0.96"), []finding.Code{bag.Unsupported}},
	{"version 1.1", in("bagit.txt", "1.0", "1.1"), []finding.Code{bag.Unsupported}},
	{"three lines", line("bagit.txt", ""), []finding.Code{bag.Malformed}},
	{"names that differ in case", func(f files) { f["data/A"] = "one"; f["bag-info.txt"] = "" },
		[]finding.Code{bag.Name}},
	{"names that differ in form", func(f files) { f["data/ü"], f["data/u\u0308"] = "", ""; f["bag-info.txt"] = "" },
		[]finding.Code{bag.Name}},
	{"near miss: an accent", func(f files) { f["data/ü"], f["data/u"] = "", ""; f["bag-info.txt"] = "" }, nil},
	{"fetch.txt without holes", func(f files) { f["fetch.txt"] = "http://127.0.0.1/a 3 data/a\n" }, nil},
	{"fetch.txt of a file in no manifest", func(f files) { f["fetch.txt"] = "http://127.0.0.1/a - data/c\n" },
		[]finding.Code{bag.Malformed}},
	{"fetch.txt that climbs", func(f files) { f["fetch.txt"] = "http://127.0.0.1/a - data/../../c\n" },
		[]finding.Code{bag.Name}},
	{"fetch.txt twice", func(f files) { f["fetch.txt"] = strings.Repeat("http://x/a - data/a\n", 2) },
		[]finding.Code{bag.Malformed}},
	{"fetch.txt without size", func(f files) { f["fetch.txt"] = "http://127.0.0.1/a data/a\n" },
		[]finding.Code{bag.Malformed}},
	{"fetch.txt of a tag file", func(f files) { f["fetch.txt"] = "http://127.0.0.1/a - note\n" },
		[]finding.Code{bag.Malformed}},
}

// lists are damages of the manifest alone, in a bag without a tag manifest.
var lists = []damage{
	{"nothing", func(files) {}, nil},
	{"capital digits", func(f files) {
		f["manifest-sha512.txt"] = strings.ReplaceAll(strings.ToUpper(f["manifest-sha512.txt"]), "DATA/D/B", "data/d/b")
		f["manifest-sha512.txt"] = strings.ReplaceAll(f["manifest-sha512.txt"], "DATA/A", "data/a")
	}, nil},
	{"tab and spaces", in("manifest-sha512.txt", "  data/a", "\t data/a"), nil},
	{"as sha512sum --binary", in("manifest-sha512.txt", "  data/a", " *data/a"), nil},
	{"dot before the name", in("manifest-sha512.txt", "  data/a", "  ./data/a"), []finding.Code{bag.Name, bag.Unlisted}},
	{"empty line", line("manifest-sha512.txt", ""), []finding.Code{bag.Malformed}},
	{"short digest", line("manifest-sha512.txt", "00 data/x"), []finding.Code{bag.Malformed}},
	{"no name", line("manifest-sha512.txt", nothing), []finding.Code{bag.Malformed}},
	{"no digest", line("manifest-sha512.txt", "data/a"), []finding.Code{bag.Malformed}},
	{"twice", line("manifest-sha512.txt", digestOf("one")+" data/a"), []finding.Code{bag.Malformed}},
	{"twice, with another digest", line("manifest-sha512.txt", nothing+" data/a"), []finding.Code{bag.Malformed}},
	{"missing", line("manifest-sha512.txt", nothing+" data/x"), []finding.Code{bag.Missing}},
	{"hole", func(f files) {
		f["manifest-sha512.txt"] += nothing + " data/x\n"
		f["fetch.txt"] = "https://example.org/x - data/x\n"
	}, []finding.Code{bag.Hole}},
	{"climbs", line("manifest-sha512.txt", nothing+" data/../../x"), []finding.Code{bag.Name}},
	{"absolute", line("manifest-sha512.txt", nothing+" /etc/passwd"), []finding.Code{bag.Name}},
	{"home", line("manifest-sha512.txt", nothing+" ~/x"), []finding.Code{bag.Name}},
	{"drive", line("manifest-sha512.txt", nothing+" C:/x"), []finding.Code{bag.Name}},
	{"backslash", line("manifest-sha512.txt", nothing+` data\x`), []finding.Code{bag.Name}},
	{"tag file in a payload manifest", line("manifest-sha512.txt", digestOf("x")+" note"), []finding.Code{bag.Malformed}},
	{"collides with what is missing", line("manifest-sha512.txt", nothing+" data/A"),
		[]finding.Code{bag.Name, bag.Missing}},
	{"encoded line end", func(f files) {
		f["data/x\ny"] = "one"
		f["manifest-sha512.txt"] += digestOf("one") + " data/x%0Ay\n"
		f["bag-info.txt"] = ""
	}, nil},
	{"encoded percent sign", func(f files) {
		f["data/100%0A"] = "one"
		f["manifest-sha512.txt"] += digestOf("one") + " data/100%250A\n"
		f["bag-info.txt"] = ""
	}, nil},
	{"percent sign in version 0.97", func(f files) {
		f["data/100%25"] = "one"
		f["manifest-sha512.txt"] += digestOf("one") + " data/100%25\n"
		f["bag-info.txt"] = ""
		f["bagit.txt"] = strings.Replace(f["bagit.txt"], "1.0", "0.97", 1)
	}, nil},
	{"percent sign that is not encoded", func(f files) {
		f["data/100%"] = "one"
		f["manifest-sha512.txt"] += digestOf("one") + " data/100%\n"
		f["bag-info.txt"] = ""
	}, nil},
	{"two manifests", func(f files) {
		f["manifest-sha256.txt"] = fmt.Sprintf("%x data/a\n%x data/d/b\n",
			sha256.Sum256([]byte("one")), sha256.Sum256([]byte("two")))
	}, nil},
	{"two manifests that disagree", func(f files) {
		f["manifest-sha256.txt"] = fmt.Sprintf("%x data/a\n%x data/d/b\n",
			sha256.Sum256([]byte("two")), sha256.Sum256([]byte("two")))
	}, []finding.Code{bag.Altered}},
	{"two manifests, one with a part", func(f files) {
		f["manifest-sha256.txt"] = fmt.Sprintf("%x data/a\n", sha256.Sum256([]byte("one")))
	}, []finding.Code{bag.Unlisted}},
	{"two manifests, one with a part, in 0.97", func(f files) {
		f["manifest-sha256.txt"] = fmt.Sprintf("%x data/a\n", sha256.Sum256([]byte("one")))
		f["bagit.txt"] = strings.Replace(f["bagit.txt"], "1.0", "0.97", 1)
	}, nil},
	{"a weak algorithm alone", func(f files) {
		delete(f, "manifest-sha512.txt")
		f["manifest-md5.txt"] = fmt.Sprintf("%x data/a\n%x data/d/b\n",
			md5.Sum([]byte("one")), md5.Sum([]byte("two"))) // #nosec G401
	}, nil},
	{"an unknown algorithm alone", func(f files) {
		f["manifest-whirlpool.txt"] = f["manifest-sha512.txt"]
		delete(f, "manifest-sha512.txt")
	}, []finding.Code{bag.Unsupported}},
	{"an unknown algorithm too", func(f files) { f["manifest-whirlpool.txt"] = "anything" }, nil},
}

// verdict is that on a damage: holes and what is not read leave the bag open; all else
// rejects it.
func (d damage) verdict() outcome.Class {
	worst := outcome.Verified
	for _, c := range d.want {
		if c != bag.Hole && c != bag.Unsupported {
			return outcome.Rejected
		}
		worst = outcome.Inconclusive
	}
	return worst
}

// TestDamages finds each damage, and no more, in folders and in archives.
func TestDamages(t *testing.T) {
	try := func(t *testing.T, d damage, f files) {
		for place, r := range map[string]*bag.Result{"folder": checked(t, f.folder(t)), "archive": checkTar(t, f.tar(t))} {
			got, want := codes(r), slices.Clone(d.want)
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" || r.Verdict != d.verdict() {
				t.Errorf("%s: %s\n%s%+v", place, r.Verdict, diff, r.Findings)
			}
		}
	}
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			f := genuine(t)
			d.do(f)
			try(t, d, f)
		})
	}
	for _, d := range rules {
		t.Run("anew/"+d.name, func(t *testing.T) {
			f := genuine(t)
			d.do(f)
			had := f["tagmanifest-sha512.txt"] != ""
			f.list(t)
			if !had {
				delete(f, "tagmanifest-sha512.txt")
			}
			try(t, d, f)
		})
	}
	for _, d := range lists {
		t.Run("manifest/"+d.name, func(t *testing.T) {
			f := genuine(t)
			delete(f, "tagmanifest-sha512.txt")
			d.do(f)
			try(t, d, f)
		})
	}
}

// TestSpecialFiles: nothing but files is in a bag, and no link is followed.
func TestSpecialFiles(t *testing.T) {
	dir := genuine(t).folder(t)
	must.Do(t, os.Remove(filepath.Join(dir, "data/a")))
	must.Do(t, os.WriteFile(filepath.Join(t.TempDir(), "a"), []byte("one"), 0o600))
	must.Do(t, os.Symlink(filepath.Join(dir, "data/d/b"), filepath.Join(dir, "data/a")))
	if got := codes(checked(t, dir)); !slices.Contains(got, bag.Malformed) || !slices.Contains(got, bag.Missing) {
		t.Errorf("%q", got)
	}
	for what, h := range map[string]*tar.Header{
		"link":     {Typeflag: tar.TypeSymlink, Name: "top/data/l", Linkname: "/etc/passwd"},
		"hard":     {Typeflag: tar.TypeLink, Name: "top/data/l", Linkname: "top/data/a"},
		"device":   {Typeflag: tar.TypeChar, Name: "top/data/l"},
		"pipe":     {Typeflag: tar.TypeFifo, Name: "top/data/l"},
		"climbing": {Typeflag: tar.TypeReg, Name: "top/../../l"},
		"absolute": {Typeflag: tar.TypeReg, Name: "/etc/passwd"},
		"twice":    {Typeflag: tar.TypeReg, Name: "top/data/a"},
		"beside":   {Typeflag: tar.TypeReg, Name: "other/data/a"},
		"at top":   {Typeflag: tar.TypeReg, Name: "file"},
	} {
		want := bag.Malformed
		if what == "climbing" || what == "absolute" {
			want = bag.Name
		}
		r := checkTar(t, genuine(t).tar(t, h))
		if got := codes(r); !slices.Equal(got, []finding.Code{want}) || r.Verdict != outcome.Rejected {
			t.Errorf("%s: %s, %+v", what, r.Verdict, r.Findings)
		}
	}
}

// TestDamagedArchives: an archive that ends early, or goes on behind its end.
func TestDamagedArchives(t *testing.T) {
	whole := genuine(t).tar(t)
	for name, archive := range map[string][]byte{
		"cut": whole[:len(whole)/2], "another behind it": append(slices.Clone(whole), whole...),
		"text": []byte(strings.Repeat("no archive ", 100)),
	} {
		if r := checkTar(t, archive); r.Verdict != outcome.Rejected || !slices.Contains(codes(r), bag.Malformed) {
			t.Errorf("%s: %s %+v", name, r.Verdict, r.Findings)
		} else if slices.Contains(codes(r), bag.Missing) {
			t.Errorf("%s: what was not reached is missing: %+v", name, r.Findings)
		}
	}
	if r := checkTar(t, nil); r.Verdict != outcome.Rejected {
		t.Errorf("nothing is %s", r.Verdict)
	}
}

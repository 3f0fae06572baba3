package bag_test

import (
	"archive/tar"
	"crypto/md5" // #nosec G501 -- the weak digest is what is tested
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// damage is a change of a genuine bag, and the expected findings.
type damage struct {
	name  string
	steps [][]string     // the fields of each line
	want  []finding.Code // none: it still verifies
}

var nothing = strings.Repeat("0", 128)

// readDamages reads testdata/damages.txtar.
func readDamages(t *testing.T) (all []damage) {
	t.Helper()
	text := string(must.Get(os.ReadFile(filepath.Join("testdata", "damages.txtar")))(t))
	digest := regexp.MustCompile(`\{([a-z0-9]+) ?([a-z]*)\}`)
	text = digest.ReplaceAllStringFunc(text, func(s string) string {
		switch m := digest.FindStringSubmatch(s); m[1] {
		case "sha512":
			return digestOf(m[2])
		case "sha256":
			return fmt.Sprintf("%x", sha256.Sum256([]byte(m[2])))
		case "md5":
			return fmt.Sprintf("%x", md5.Sum([]byte(m[2]))) // #nosec G401
		}
		return nothing
	})
	for _, f := range txtar.Parse([]byte(text)).Files {
		d := damage{name: f.Name}
		for line := range strings.Lines(string(f.Data)) {
			line = strings.TrimSuffix(line, "\n")
			if code, ok := strings.CutPrefix(line, "> "); ok {
				d.want = append(d.want, finding.Code(code))
				continue
			}
			step := strings.Split(line, "\t")
			for i := range step {
				step[i] = must.Get(strconv.Unquote(`"` + step[i] + `"`))(t)
			}
			d.steps = append(d.steps, step)
		}
		all = append(all, d)
	}
	return all
}

// damage does a step to a file of a bag.
func (f files) damage(t *testing.T, step []string) {
	t.Helper()
	file, text := step[1], append(step, "")[2]
	switch step[0] {
	case "replace":
		must.That(t, strings.Contains(f[file], text), "%s has no %s", file, text)
		f[file] = strings.Replace(f[file], text, step[3], 1)
	case "append": // a line
		f[file] += text + "\n"
	case "prepend":
		f[file] = text + f[file]
	case "write":
		f[file] = text
	case "delete":
		delete(f, file)
	case "rename":
		f[text] = f[file]
		delete(f, file)
	case "trim":
		f[file] = strings.TrimSuffix(f[file], "\n")
	case "ends": // of the lines of all files whose names end so
		for name := range f {
			if strings.HasSuffix(name, file) {
				f[name] = strings.ReplaceAll(f[name], "\n", text)
			}
		}
	case "capitals": // in digests
		upper := strings.ToUpper(f[file])
		f[file] = strings.NewReplacer("DATA/D/B", "data/d/b", "DATA/A", "data/a").Replace(upper)
	default:
		t.Fatalf("no step %s", step[0])
	}
}

// verdict returns the verdict on a damage: holes and unsupported parts leave the bag open; all
// else rejects it.
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
			diff := cmp.Diff(want, got)
			check.That(t, diff == "" && r.Verdict == d.verdict(), "%s: %s\n%s%+v", place, r.Verdict, diff, r.Findings)
		}
	}
	for _, d := range readDamages(t) {
		t.Run(d.name, func(t *testing.T) {
			f := genuine(t)
			if strings.HasPrefix(d.name, "manifest/") {
				delete(f, "tagmanifest-sha512.txt")
			}
			for _, step := range d.steps {
				f.damage(t, step)
			}
			if strings.HasPrefix(d.name, "anew/") {
				had := f["tagmanifest-sha512.txt"] != ""
				f.list(t)
				if !had {
					delete(f, "tagmanifest-sha512.txt")
				}
			}
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
	got := codes(checked(t, dir))
	check.That(t, slices.Contains(got, bag.Malformed) && slices.Contains(got, bag.Missing), "%q", got)
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

// TestDamagedArchives: an archive that ends early, or continues after its end.
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
	r := checkTar(t, nil)
	check.That(t, r.Verdict == outcome.Rejected, "nothing is %s", r.Verdict)
}

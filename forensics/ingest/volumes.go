package ingest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxVolumes bounds a set of volumes.
const maxVolumes = 10_000

// volume is a name as tools that split files give it: the first part, and the
// number or the letters that count the volumes.
type volume struct {
	stem, count string
	last        string // the ending of the last volume in place of the count; "" if it is counted, too
}

// volumesOf splits a name, in each way that is possible: "x.001" and "x00", "xaa" and "xaaa",
// "x.part1", "x.z01" and "x.zip". Each is only a guess: whether one is right is proven by the
// content.
func volumesOf(path string) (guesses []volume) {
	if stem, ok := strings.CutSuffix(path, ".zip"); ok {
		guesses = append(guesses, volume{stem: stem + ".z", count: "01", last: "ip"})
	}
	stem := strings.TrimRight(path, "0123456789")
	count := path[len(stem):]
	switch {
	case count == "" || len(count) > 9:
	case len(count) >= 2 && strings.HasSuffix(stem, ".z"):
		guesses = append(guesses, volume{stem: stem, count: count, last: "ip"})
	case len(count) >= 2, strings.HasSuffix(stem, "part"):
		guesses = append(guesses, volume{stem: stem, count: count})
	}
	letters := len(path) - len(strings.TrimRight(path, "abcdefghijklmnopqrstuvwxyz"))
	for n := min(letters, 4); n >= 2; n-- { // the letters before these are the name's
		guesses = append(guesses, volume{stem: path[:len(path)-n], count: path[len(path)-n:]})
	}
	return guesses
}

// firstNumbers are the possible numbers of the first volume of such a set.
func (v volume) firstNumbers() []string {
	if v.count[0] >= 'a' {
		return []string{strings.Repeat("a", len(v.count))}
	}
	return []string{strings.Repeat("0", len(v.count)), strings.Repeat("0", len(v.count)-1) + "1"}
}

// countAfter returns the count that follows one, "" if none does.
func countAfter(count string) string {
	if n, err := strconv.Atoi(count); err == nil {
		return fmt.Sprintf("%0*d", len(count), n+1)
	}
	b := []byte(count)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i]++; b[i] <= 'z' {
			return string(b)
		}
		b[i] = 'a'
	}
	return ""
}

// volumesOf returns the volumes of the set that a path seems to belong to, in their
// order: fewer than two if it belongs to none.
func (in *ingest) volumesOf(path string) []part {
	for _, v := range volumesOf(path) {
		for _, first := range v.firstNumbers() {
			if set, member := in.setOf(v, first, path); member && len(set) > 1 {
				return set
			}
		}
	}
	return nil
}

// missingBehind returns the volume that is missing behind one, if the one behind that is
// given. Of letters, which many names end with, nothing is said.
func (in *ingest) missingBehind(path string) string {
	for _, v := range volumesOf(path) {
		next := countAfter(v.count)
		if v.count[0] > '9' || v.stem+v.count != path {
			continue
		}
		_, given := in.isGiven(v.stem + next)
		if _, behind := in.isGiven(v.stem + countAfter(next)); behind && !given {
			return v.stem + next
		}
	}
	return ""
}

// setOf returns the volumes from the first one on, up to one that is missing, and
// whether a path is among them.
func (in *ingest) setOf(v volume, first, path string) (set []part, member bool) {
	add := func(name string) bool {
		info, ok := in.isGiven(name)
		if ok {
			set, member = append(set, part{name, info}), member || name == path
		}
		return ok
	}
	for count := first; count != "" && len(set) < maxVolumes && add(v.stem+count); {
		count = countAfter(count)
	}
	if v.last != "" && len(set) > 0 {
		add(v.stem + v.last)
	}
	return set, member
}

// isGiven returns a regular file, if it was given as evidence.
func (in *ingest) isGiven(path string) (fs.FileInfo, bool) {
	if !in.walking && !in.named[filepath.Clean(path)] {
		return nil, false
	}
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || in.ownsFile(info) {
		return nil, false
	}
	return info, true
}

// ingestVolume ingests a file, together with the others of its set if they prove to be
// volumes of one file.
func (in *ingest) ingestVolume(ctx context.Context, found *listing.Found) error {
	path := found.Path
	if in.joined[path] {
		return nil
	}
	if _, decided := in.apart[path]; !decided {
		set := in.volumesOf(path)
		if len(set) == 0 {
			in.findMissing(ctx, path)
		}
		if err := in.ingestSet(ctx, found.Below, set); err != nil || in.joined[path] {
			return err
		}
	}
	return in.ingestFile(ctx, found, in.apart[path])
}

// findMissing finds out whether a file is a volume behind which one is missing.
func (in *ingest) findMissing(ctx context.Context, path string) {
	lost := in.missingBehind(path)
	info, ok := in.isGiven(path)
	if lost != "" && ok && in.tryJoined(ctx, []part{{path, info}}).damage >= 0 {
		in.apart[path] = missingRemark(lost)
	}
}

// missingRemark is the remark where a volume is missing.
func missingRemark(path string) string {
	return "the volume " + safetext.Excerpt(filepath.Base(path), safetext.Value) + " is missing"
}

// ingestSet finds out which files of a set are volumes of one file, and ingests these.
func (in *ingest) ingestSet(ctx context.Context, below string, set []part) error {
	if len(set) < 2 {
		return nil
	}
	runs := in.cutIntoRuns(ctx, set)
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, r := range runs {
		for _, p := range r.parts {
			if len(r.parts) > 1 {
				in.joined[p.path] = true
			} else {
				in.apart[p.path] = r.remark
			}
		}
	}
	for _, r := range runs {
		if len(r.parts) > 1 {
			if err := in.ingestJoined(ctx, below, r.parts); err != nil {
				return err
			}
		}
	}
	return nil
}

// ingestJoined ingests volumes as the one file that was split. It has the name of one of them.
func (in *ingest) ingestJoined(ctx context.Context, below string, set []part) error {
	file := newFiles(set)
	defer file.Close()
	var paths []string
	for _, p := range set {
		paths = append(paths, p.path)
	}
	last := paths[len(paths)-1]
	remark := fmt.Sprintf("joined from %d volumes, up to %s", len(set),
		safetext.Excerpt(filepath.Base(last), safetext.Value))
	if lost := in.missingBehind(last); lost != "" {
		remark += "; " + missingRemark(lost)
	}
	return in.ingestSource(ctx, &Source{File: file, Path: set[0].path, below: below, Volumes: paths, Size: file.Size(),
		modified: file.modified, Remark: remark})
}

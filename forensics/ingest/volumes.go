package ingest

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxVolumes bounds a set of volumes.
const maxVolumes = 10_000

// volume is a name as tools that split files give it: the first part, and the
// number or the letters that count the volumes.
type volume struct {
	stem, count string
	last        string // what the last volume ends with in place of the count; "" if it is counted, too
}

// volumesOf takes a name apart, in each way that is possible: "x.001" and "x00",
// "xaa" and "xaaa", "x.part1", "x.z01" and "x.zip". Each is only a guess: whether
// one is right is proven by the content.
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

// firsts are what the first volume of such a set can count as.
func (v volume) firsts() []string {
	if v.count[0] >= 'a' {
		return []string{strings.Repeat("a", len(v.count))}
	}
	return []string{strings.Repeat("0", len(v.count)), strings.Repeat("0", len(v.count)-1) + "1"}
}

// after returns the count that follows one, "" if none does.
func after(count string) string {
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

// lacks is what is said where a volume is missing.
func lacks(path string) string {
	return "the volume " + safetext.Excerpt(filepath.Base(path), safetext.Value) + " is missing"
}

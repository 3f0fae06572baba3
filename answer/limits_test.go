package answer

import (
	"slices"
	"strings"
	"testing"
)

// TestLabel: a long name is cut, and still another than every other name.
func TestLabel(t *testing.T) {
	long := strings.Repeat("x", mostName)
	if got := Label(long); got != long {
		t.Errorf("found %s", got)
	}
	names := []string{Label(long + "a"), Label(long + "b"), Label(long), Label(`"` + long)}
	slices.Sort(names)
	if len(slices.Compact(names)) != 4 {
		t.Errorf("found %q", names)
	}
	if got := Sentence(strings.Repeat("é", MostSentence)); got != strings.Repeat("é", MostSentence/2)+"..." {
		t.Errorf("%d octets", len(got))
	}
}

// TestLeft: a cut is reported with its size and with where the whole list is.
func TestLeft(t *testing.T) {
	for want, l := range map[string]Left{
		"": Rest{}.Left(-1, "logs"), "2 more logs": Rest{}.Left(2, "logs"),
		`3 more logs, in "a b"`:            Rest{File: "a b", Command: "walk"}.Left(3, "logs"),
		"4 more logs, in what walk writes": Rest{Command: "walk"}.Left(4, "logs"),
	} {
		if got := l.Sentence(); got != want {
			t.Errorf("%+v: %q, want %q", l, got, want)
		}
	}
	if got := LeftOut(Left{}, Left{N: 1, Of: "x"}); len(got) != 1 || got[0] != "Left out: 1 more x." {
		t.Errorf("found %q", got)
	}
	if got := len(Noted(make([]int, MostNotes+1), func(int) string { return "" }, "note")); got != MostNotes {
		t.Errorf("%d notes", got)
	}
}

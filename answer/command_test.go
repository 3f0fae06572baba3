package answer

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestCommand: no line of a command is torn within a word, and each but the last ends in a backslash.
func TestCommand(t *testing.T) {
	long := "/" + strings.Repeat("a folder/", 20) + "x"
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{[]string{"cp", "-p", "--", "a  b", "c"}, "  cp -p -- 'a  b' c\n"},
		{[]string{"cp", "--", long, "c\nd"}, "  cp -- \\\n  '" + long + "' \\\n  $'c\\012d'\n"},
	} {
		var b strings.Builder
		list := List{}
		for _, line := range Command(tt.words) {
			list = append(list, Item{Text: line})
		}
		must.Do(t, WriteText(&b, &Doc{Head: []Block{list}}, false))
		check.Equal(t, b.String(), tt.want, "")
	}
}

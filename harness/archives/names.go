package archives

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/svc-edge/svc-verify/harness/chance"
)

// folders and files are names that every system accepts.
var (
	folders = []string{"2026", "2026/03", "2026/11", "2027/01/east", "by customer/acme", "Köln", "inbox", ".hidden",
		"a.b"}
	files = []string{"tx", "svc-evidence", "proof of payment", "README", "%41", ".dot", "copy (1)", "名前", "e\u0301",
		"\u00e9", "it's", "100%", "-rf", "#1", "a,b;c", "$HOME", "CON_", "trailing."}
	// odd are names that few systems outside the Unix family accept.
	odd = []string{"new\nline", "tab\t", "bell\a", "latin-\xe9", "\xff\xfe", "right\u202eleft", "back\\slash", "quote\"",
		"star*", "<p>", "a:b", " space ", "con|", "line\u2028end", "\x1b[31mred", "\u200bnothing"}
)

// NewPath draws a path at which the tree has nothing, and which no file is above.
func NewPath(s *chance.Stream, t Tree) string {
	for {
		name := files[s.Below(len(files))]
		if runtime.GOOS == "linux" && s.Below(3) == 0 {
			name = odd[s.Below(len(odd))]
		}
		if s.Below(20) == 0 {
			name += strings.Repeat("long ", 45)
		}
		if s.Below(3) > 0 {
			name += fmt.Sprint(s.Below(1000), ".json")
		}
		if s.Below(4) > 0 {
			name = folders[s.Below(len(folders))] + "/" + name
		}
		if s.Below(25) == 0 {
			name = strings.Repeat("deep/", 1+s.Below(30)) + name
		}
		if t.isFree(name) {
			return name
		}
	}
}

// isFree reports whether a file can be made at the path. Names that differ only in
// case are one on some systems.
func (t Tree) isFree(name string) bool {
	name = strings.ToLower(name)
	for other := range t {
		other = strings.ToLower(other)
		if other == name || strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			return false
		}
	}
	return true
}

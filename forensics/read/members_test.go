package read

import (
	"strings"
	"testing"
)

// TestMembersOf: a value is named by its first members, quoted, however many and
// long they are.
func TestMembersOf(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for value, want := range map[string]string{
		`{}`:                      "",
		`7`:                       "",
		`{"a":1,"b c":{"d":[2]}}`: `, with the members "a", "b c"`,
		"{\"\x1b[2J\u202e\":0}":   `, with the members "\x1b[2J\u202e"`,
		`{"` + long + `":0}`:      `, with the members "` + long[:longestMember] + `"...`,
		`{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0}`: `, with the members "1", "2", "3", "4", "5", "6" and 2 more`,
	} {
		if got := membersOf([]byte(value)); got != want {
			t.Errorf("%.60s: %q, want %q", value, got, want)
		}
	}
}

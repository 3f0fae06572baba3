package listing

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzList compares the names of a list with the names that package strings finds.
func FuzzList(f *testing.F) {
	for _, s := range []string{"a\nb\r\n\n-", "a\x00b\nc\x00\x00-", mark + "a", "\xff\xfea"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		var got, want []string
		for name, err := range Names(strings.NewReader(data)) {
			if err != nil {
				if !strings.HasPrefix(data, "\xff\xfe") && !strings.HasPrefix(data, "\xfe\xff") && len(data) < maxName {
					t.Fatal(err)
				}
				return
			}
			got = append(got, name)
		}
		end, text := "\n", strings.TrimPrefix(data, mark)
		if strings.Contains(data, "\x00") {
			end, text = "\x00", data
		}
		for name := range strings.SplitSeq(text, end) {
			if end == "\n" {
				name = strings.TrimSuffix(name, "\r")
			}
			if name == "-" {
				name = "./-"
			}
			if name != "" {
				want = append(want, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" && len(data) < maxName {
			t.Error(diff)
		}
	})
}

package ledger_test

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// each yields the elements of a list. The element "!" is an error.
func each[T any](list string, of func(path string) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, path := range strings.Fields(list) {
			var err error
			if path == "!" {
				err = errors.New("an error")
			}
			if !yield(of(path), err) || err != nil {
				return
			}
		}
	}
}

// TestJoin: each path comes once and in its order, with the sides that have it.
func TestJoin(t *testing.T) {
	entry := func(path string) (e listing.Entry) {
		if e.Path = path; e.Folder() {
			e.Err = errors.New("not listed")
		}
		return e
	}
	row := func(path string) *ledger.Object { return &ledger.Object{Path: path} }
	for _, tt := range []struct{ folder, rows, want string }{
		{"", "", ""},
		{"a c", "b c d", "a- -b cc -d"},
		{"b", "a", "-a b-"},
		{"a/ c", "a a/b a/c/d ab", "-a a/- -a/b? -a/c/d? -ab c-"},
		{"a !", "a b", "aa error"},
		{"a b", "!", "error"},
		{"a", "a !", "aa error"},
		{"", "b a", "-b error"},
		{"", "a a", "-a error"},
	} {
		var got []string
		for p, err := range ledger.Join(each(tt.folder, entry), each(tt.rows, row), ledger.PathOf) {
			left, right := "-", "-"
			if p.There {
				left = p.Entry.Path
			}
			if p.Known {
				right = p.Row.Path
			}
			switch one := left + right; {
			case err != nil:
				got = append(got, "error")
			case p.Unlisted != nil:
				got = append(got, one+"?")
			default:
				got = append(got, one)
			}
		}
		check.That(t, strings.Join(got, " ") == tt.want, "%q and %q: %q", tt.folder, tt.rows, got)
	}
}

package block

import "testing"

// TestFollow: what a range says of its container goes on where the one before ended.
func TestFollow(t *testing.T) {
	for _, c := range []struct{ list, next, want string }{
		{"journal", "journal", "journal"},
		{"journal", "journal, general", "journal, general"},
		{"journal, general", "general, journal", "journal, general, journal"},
		{"journal, general", "journal", "journal, general, journal"},
		{"", "journal", "journal"},
		{"journal", "", "journal"},
		{"near-journal", "journal", "near-journal, journal"},
	} {
		one := Container{Format: c.list, Why: c.list, Unbatched: 2}
		one.Follow(Container{Format: c.next, Why: c.next, Unbatched: 3})
		if want := (Container{Format: c.want, Why: c.want, Unbatched: 5}); one != want {
			t.Errorf("%q and %q: %+v", c.list, c.next, one)
		}
	}
}

package outcome

import "testing"

// TestVerdict: an item is as bad as the worst of its class and its problems, and
// nothing unknown passes for harmless.
func TestVerdict(t *testing.T) {
	for _, tt := range []struct {
		class    Class
		problems []Class
		want     Class
	}{
		{Verified, nil, Verified},
		{Verified, []Class{Verified}, Inconclusive},
		{Verified, []Class{Inconclusive, Rejected, Unreadable}, Rejected},
		{NotABundle, []Class{Inconclusive}, NotABundle},
		{Unreadable, []Class{NotABundle}, NotABundle},
		{Inconclusive, nil, Inconclusive},
		{"", nil, Rejected},
		{Verified, []Class{"fine"}, Rejected},
	} {
		item := Item{Class: tt.class}
		for _, c := range tt.problems {
			item.Problems = append(item.Problems, Problem{Class: c})
		}
		if got := item.Verdict(); got != tt.want {
			t.Errorf("%q with %q: %s, want %s", tt.class, tt.problems, got, tt.want)
		}
		if item.Failed() != (tt.want != Verified) {
			t.Errorf("%q with %q: failed is %t", tt.class, tt.problems, item.Failed())
		}
	}
}

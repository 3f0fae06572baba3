package archive

import (
	"slices"
	"testing"
)

// seen is an object that is known and was read, with the bytes that it had.
var seen = Observed{Known: true, There: true, Read: true, Same: true}

// with returns an observation with more in it.
func with(o Observed, more ...func(*Observed)) Observed {
	for _, f := range more {
		f(&o)
	}
	return o
}

// TestClassify has every rule, and every pair of rules: the first of a pair decides.
func TestClassify(t *testing.T) {
	fault := func(o *Observed) { o.Fault, o.Read, o.Same = true, false, false }
	gone := func(o *Observed) { o.There, o.Read, o.Same = false, false, false }
	elsewhere := func(o *Observed) { o.Elsewhere = true }
	other := func(o *Observed) { o.Same = false }
	verified := func(o *Observed) { o.Verified = true }
	continues := func(o *Observed) { o.Continues = true }
	changed := func(o *Observed) { o.Changed = true }
	repacked := func(o *Observed) { o.Repacked = true }
	fresh := func(o *Observed) { o.Known, o.Same = false, false }
	unread := func(o *Observed) { o.Read, o.Same = false, false }
	old := func(o *Observed) { o.Old = true }
	was := func(c Class) func(*Observed) { return func(o *Observed) { o.Wrong = c } }
	for _, c := range []struct {
		name string
		o    Observed
		want Class
	}{
		{"ignored", with(seen, func(o *Observed) { o.Ignored = true }), Ignored},
		{"ignored, and missing before", with(seen, gone, func(o *Observed) { o.Ignored = true }), Ignored},
		{"unreadable", with(seen, fault), Unreadable},
		{"unreadable, and new", with(seen, fault, fresh), Unreadable},
		{"unreadable, and old", with(seen, fault, old), Unreadable},
		{"unreadable, and altered before", with(seen, fault, was(Altered)), Unreadable},
		{"missing", with(seen, gone), Missing},
		{"missing, and unreadable before", with(seen, gone, was(Unreadable)), Missing},
		{"missing, and old", with(seen, gone, old), Missing},
		{"moved", with(seen, gone, elsewhere), Moved},
		{"moved, and missing before", with(seen, gone, elsewhere, was(Missing)), Moved},
		{"packed again", with(seen, other, verified, repacked), Repacked},
		{"packed again, and altered before", with(seen, other, verified, repacked, was(Altered)), Repacked},
		{"packed again elsewhere", with(seen, gone, elsewhere, repacked), Repacked},
		{"its octets are elsewhere too", with(seen, elsewhere), Intact},
		{"replaced", with(seen, other, verified), Replaced},
		{"replaced, and its verdict is another", with(seen, other, verified, changed), Replaced},
		{"grown", with(seen, other, verified, continues), Grown},
		{"grown, and rejected", with(seen, other, continues, changed), Grown},
		{"altered", with(seen, other), Altered},
		{"altered, and its verdict is another", with(seen, other, changed), Altered},
		{"the verdict changed", with(seen, changed), VerdictChanged},
		{"the verdict changed for the better", with(seen, changed, verified), VerdictChanged},
		{"the verdict changed, and wrong before", with(seen, changed, was(Altered)), VerdictChanged},
		{"added", with(seen, fresh), Added},
		{"added, and verified", with(seen, fresh, verified), Added},
		{"stale", with(seen, unread, old), Stale},
		{"never read", with(seen, unread, fresh), Stale},
		{"not read", with(seen, unread), Unread},
		{"not read, and altered before", with(seen, unread, was(Altered)), Altered},
		{"not read, and old, and altered before", with(seen, unread, old, was(Altered)), Altered},
		{"not read, and replaced before", with(seen, unread, was(Replaced)), Replaced},
		{"not read, and unreadable before", with(seen, unread, was(Unreadable)), Unreadable},
		{"not read, and missing before", with(seen, unread, was(Missing)), Missing},
		{"intact", seen, Intact},
		{"intact, and verified", with(seen, verified), Intact},
		{"intact, and altered before", with(seen, was(Altered)), Intact},
		{"intact, and missing before", with(seen, was(Missing)), Intact},
		{"read, so not old", with(seen, old), Intact},
	} {
		if got := Classify(c.o); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestRules: each class has one rule, in the order in which they are decided.
func TestRules(t *testing.T) {
	var have []Class
	for _, r := range rules {
		have = append(have, r.class)
	}
	if !slices.Equal(have, Classes()) {
		t.Errorf("rules for %v", have)
	}
}

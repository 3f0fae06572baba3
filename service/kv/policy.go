package kv

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Capabilities of a [Rule].
const (
	Create = "create" // write a path that has no record
	Update = "update" // write a path that has one
	Read   = "read"
	Delete = "delete"
	List   = "list"
	Deny   = "deny" // nothing, whatever else is there
)

// Rule says what may be done at a path, without its /v1/. A segment + stands for
// any segment, a * at the end for any rest. Of the rules that cover a path those
// count which name it most exactly, by Vault's order of priority.
type Rule struct {
	Path         string
	Capabilities []string
}

// AdapterRules are what the adapter's token is bound to (service/docs/secret-store.md,
// "Token and connection").
func AdapterRules(mount, base string) []Rule {
	return []Rule{
		{mount + "/data/" + base + "/*", []string{Create, Update, Read}},
		{mount + "/metadata/" + base + "/*", []string{Read}},
	}
}

// ConsumerRules are what the token of a consumer is bound to
// (service/docs/secret-store.md, "Token and connection").
func ConsumerRules(mount, base string) []Rule {
	return []Rule{
		{mount + "/data/" + base + "/pointer", []string{Read}},
		{mount + "/data/" + base + "/generations/*", []string{Read}},
	}
}

// AdministratorRules allow everything.
func AdministratorRules() []Rule {
	return []Rule{{"*", []string{Create, Update, Read, Delete, List}}}
}

func (r Rule) check() error {
	if r.Path == "" || strings.Contains(strings.TrimSuffix(r.Path, "*"), "*") || strings.HasSuffix(r.Path, "+*") {
		return fmt.Errorf("rule %q: expected a path with a * at most at its end, and not after a +", r.Path)
	}
	for _, c := range r.Capabilities {
		if !slices.Contains([]string{Create, Update, Read, Delete, List, Deny}, c) {
			return fmt.Errorf("rule %q: no capability %q", r.Path, c)
		}
	}
	return nil
}

// allowed reports whether rules give a capability at a path.
func allowed(rules []Rule, path, capability string) bool {
	best, given := "", []string(nil)
	for _, r := range rules {
		switch {
		case !covers(r.Path, path):
		case r.Path == best:
			given = append(slices.Clip(given), r.Capabilities...)
		case best == "" || priority(r.Path, best) > 0:
			best, given = r.Path, r.Capabilities
		}
	}
	return slices.Contains(given, capability) && !slices.Contains(given, Deny)
}

// covers reports whether a pattern stands for a path.
func covers(pattern, path string) bool {
	start, open := strings.CutSuffix(pattern, "*")
	want, have := strings.Split(start, "/"), strings.Split(path, "/")
	last := len(want) - 1
	if len(have) < len(want) || !open && len(have) > len(want) {
		return false
	}
	if open {
		if !strings.HasPrefix(have[last], want[last]) {
			return false
		}
		want = want[:last]
	}
	for i, segment := range want {
		if segment != "+" && segment != have[i] {
			return false
		}
	}
	return true
}

// priority compares two patterns that cover one path: the greater one counts.
func priority(a, b string) int {
	return cmp.Or(
		cmp.Compare(wildcard(a), wildcard(b)),
		cmp.Compare(strings.Count(b, "*"), strings.Count(a, "*")),
		cmp.Compare(strings.Count(b, "+"), strings.Count(a, "+")),
		cmp.Compare(len(a), len(b)),
		cmp.Compare(a, b),
	)
}

// wildcard is where the first wildcard of a pattern is: nowhere is last.
func wildcard(pattern string) int {
	at := 0
	for _, segment := range strings.SplitAfter(pattern, "/") {
		if name := strings.TrimSuffix(segment, "/"); name == "+" {
			return at
		} else if strings.HasSuffix(name, "*") {
			return at + len(name) - 1
		}
		at += len(segment)
	}
	return math.MaxInt
}

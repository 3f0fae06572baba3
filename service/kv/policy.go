package kv

import (
	"fmt"
	"slices"
	"strings"
)

// Capabilities of a [Rule].
const (
	Create = "create" // write a path that has no record
	Update = "update" // write a path that has one
	Read   = "read"
	Delete = "delete"
)

// Rule says what may be done at a path, without its /v1/. A * at its end stands for any
// rest. Unlike in Vault every rule that covers a path counts, and no segment stands for any.
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

func (r Rule) check() error {
	if r.Path == "" || strings.ContainsAny(strings.TrimSuffix(r.Path, "*"), "*+") {
		return fmt.Errorf("rule %q: expected a path with a * at most at its end, and no +", r.Path)
	}
	for _, c := range r.Capabilities {
		if !slices.Contains([]string{Create, Update, Read, Delete}, c) {
			return fmt.Errorf("rule %q: no capability %q", r.Path, c)
		}
	}
	return nil
}

// allowed reports whether a rule gives a capability at a path.
func allowed(rules []Rule, path, capability string) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool {
		start, open := strings.CutSuffix(r.Path, "*")
		return (path == r.Path || open && strings.HasPrefix(path, start)) && slices.Contains(r.Capabilities, capability)
	})
}

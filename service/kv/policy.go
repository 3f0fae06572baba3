package kv

import (
	"fmt"
	"net/http"
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

// Rule lists the capabilities at a path, without its /v1/. A * at its end matches any rest.
// Unlike in Vault, every rule that covers a path counts, and no segment is a wildcard.
type Rule struct {
	Path         string
	Capabilities []string
}

// AdapterRules are the rules that bind the adapter's token (service/docs/secret-store.md,
// "Token and connection").
func AdapterRules(mount, base string) []Rule {
	return []Rule{
		{mount + "/data/" + base + "/*", []string{Create, Update, Read}},
		{mount + "/metadata/" + base + "/*", []string{Read}},
	}
}

// ConsumerRules are the rules that bind a consumer's token (service/docs/secret-store.md,
// "Token and connection").
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

// isAllowed reports whether a rule gives a capability at a path.
func isAllowed(rules []Rule, path, capability string) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool {
		start, open := strings.CutSuffix(r.Path, "*")
		return (path == r.Path || open && strings.HasPrefix(path, start)) && slices.Contains(r.Capabilities, capability)
	})
}

// target is the place that a call is about.
type target struct {
	*call
	below bool // the mount
	verb  string
	key   string
	held  *record // nil if there is none
}

// handlers are the methods of an engine, by verb and operation.
var handlers = map[string]func(*Engine, *target) answer{
	"data read":       (*Engine).read,
	"data update":     (*Engine).write,
	"data delete":     (*Engine).remove,
	"delete update":   changeVersions("No version number provided", removeVersion),
	"undelete update": changeVersions("No version number provided", restoreVersion),
	"destroy update":  changeVersions("no version number provided", destroyVersion),
	"metadata read":   (*Engine).readMetadata,
	"metadata delete": (*Engine).deleteMetadata,
}

// answer carries out a call: seal, token and rules come first, in Vault's order.
func (e *Engine) answer(c *call) answer {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sealed {
		return failWith(http.StatusServiceUnavailable, "Vault is sealed")
	}
	rules, known := e.rulesOf(c.token)
	if !known {
		return failWith(http.StatusForbidden, "permission denied")
	}
	t := e.target(c)
	if c.operation == "" && len(t.methods()) > 0 {
		return unsupportedAnswer(t.methods())
	}
	if need := t.capability(); !isAllowed(rules, c.path, need) {
		e.log.Warn("permission denied", "path", c.path, "capability", need)
		return deniedAnswer()
	}
	switch {
	case t.below:
		return e.dispatch(t)
	case strings.HasPrefix(c.path, "sys/") || strings.HasPrefix(c.path, "auth/"):
		return wrappedAnswer(http.StatusNotFound, "unsupported path")
	}
	return failWith(http.StatusNotFound, fmt.Sprintf("no handler for route %q. route entry not found.", c.path))
}

// target finds the target of a call.
func (e *Engine) target(c *call) *target {
	t := &target{call: c}
	var rest string
	if rest, t.below = strings.CutPrefix(c.path, e.mount+"/"); t.below {
		t.verb, t.key, _ = strings.Cut(rest, "/")
		t.held = e.records[t.key]
	}
	return t
}

// capability returns the capability that a call needs. A write of data needs another one where
// there is nothing yet; other verbs change only existing data.
func (t *target) capability() string {
	if t.operation == Update && t.verb == "data" && t.held == nil {
		return Create
	}
	return t.operation
}

// methods returns the methods of a path that have an operation.
func (t *target) methods() []string {
	var list []string
	for _, operation := range []string{Read, Update, Delete} {
		if t.below && handlers[t.verb+" "+operation] != nil {
			list = append(list, methods[operation]...)
		}
	}
	return list
}

// dispatch has a call handled that is below a mount, and allowed.
func (e *Engine) dispatch(t *target) answer {
	handle, known := handlers[t.verb+" "+t.operation]
	switch {
	case len(t.methods()) == 0 || !isCanonical(t.key):
		return noSuchPath()
	case !known:
		return unsupportedAnswer(t.methods())
	}
	return handle(e, t)
}

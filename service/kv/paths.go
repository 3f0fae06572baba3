package kv

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// self is where a token may ask what it is.
const self = "auth/token/lookup-self"

// target is what a call is about.
type target struct {
	*call
	mount mount // nil if the path is below none
	verb  string
	key   string
}

// handlers are what an engine can do, by verb and operation.
var handlers = map[string]func(*Engine, *target) answer{
	"data read":       (*Engine).read,
	"data update":     (*Engine).write,
	"data delete":     (*Engine).remove,
	"delete update":   (*Engine).removeVersions,
	"undelete update": (*Engine).restoreVersions,
	"destroy update":  (*Engine).destroyVersions,
	"metadata read":   (*Engine).readMetadata,
	"metadata update": (*Engine).writeMetadata,
	"metadata delete": (*Engine).deleteMetadata,
	"metadata list":   (*Engine).list,
}

// answer does what a call asks for: seal, token and rules come first, in Vault's
// order.
func (e *Engine) answer(c *call) answer {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sealed {
		return failure(http.StatusServiceUnavailable, "Vault is sealed")
	}
	rules, known := e.rulesOf(c.token)
	if !known {
		return failure(http.StatusForbidden, "permission denied")
	}
	t := e.target(c)
	if c.operation == "" && len(t.methods()) > 0 {
		return unsupported(t.methods())
	}
	if need := t.capability(); !allowed(rules, c.path, need) {
		e.log.Warn("permission denied", "path", c.path, "capability", need)
		return denied()
	}
	switch {
	case t.mount != nil:
		return e.dispatch(t)
	case c.path == self && c.operation == Read:
		return found(describeToken(c.token))
	case c.path == self:
		return unsupported(t.methods())
	case strings.HasPrefix(c.path, "sys/") || strings.HasPrefix(c.path, "auth/"):
		return wrapped(http.StatusNotFound, "unsupported path")
	}
	return failure(http.StatusNotFound, fmt.Sprintf("no handler for route %q. route entry not found.", c.path))
}

// target finds the mount of a call.
func (e *Engine) target(c *call) *target {
	t := &target{call: c}
	for name, m := range e.mounts {
		if rest, below := strings.CutPrefix(c.path, name+"/"); below {
			t.mount = m
			t.verb, t.key, _ = strings.Cut(rest, "/")
		}
	}
	return t
}

// capability is what a call needs. A write needs another one where there is
// nothing yet, of data and metadata; other verbs change only what is there.
func (t *target) capability() string {
	if t.operation == Update && (t.verb == "data" || t.verb == "metadata") && t.mount[t.key] == nil {
		return Create
	}
	return t.operation
}

// methods are those that a path has: of no other there is an operation.
func (t *target) methods() []string {
	if t.path == self {
		return methods[Read]
	}
	var list []string
	for _, operation := range []string{Read, List, Update, Delete} {
		if t.mount != nil && handlers[t.verb+" "+operation] != nil {
			list = append(list, methods[operation]...)
		}
	}
	return list
}

// dispatch has a call handled that is below a mount, and allowed.
func (e *Engine) dispatch(t *target) answer {
	folder := t.verb == "metadata" && t.operation == List
	handle, known := handlers[t.verb+" "+t.operation]
	switch {
	case folder && (t.key == "" || canonical(strings.TrimSuffix(t.key, "/"))):
		return handle(e, t)
	case handlers[t.verb+" update"] == nil || t.verb == "data" && t.operation == List || !canonical(t.key):
		return noSuchPath()
	case !known:
		return unsupported(t.methods())
	}
	return handle(e, t)
}

// tokenDocument is what a token is told of itself.
type tokenDocument struct {
	Accessor    string   `json:"accessor"`
	Created     int64    `json:"creation_time"`
	CreatedTTL  int64    `json:"creation_ttl"`
	Name        string   `json:"display_name"`
	Entity      string   `json:"entity_id"`
	Expires     *string  `json:"expire_time"`
	ExplicitTTL int64    `json:"explicit_max_ttl"`
	ID          string   `json:"id"`
	Meta        *string  `json:"meta"`
	Uses        int64    `json:"num_uses"`
	Orphan      bool     `json:"orphan"`
	Path        string   `json:"path"`
	Policies    []string `json:"policies"`
	TTL         int64    `json:"ttl"`
	Type        string   `json:"type"`
}

// describeToken says of a token that it never expires.
func describeToken(token string) tokenDocument {
	return tokenDocument{Name: "token", ID: token, Orphan: true, Path: "auth/token/create", Policies: []string{"rules"},
		Type: "service"}
}

// state is what the engine says of itself. The version is that of the server
// which it behaves as.
type state struct {
	Initialized bool   `json:"initialized"`
	Sealed      bool   `json:"sealed"`
	Version     string `json:"version"`
	Cluster     string `json:"cluster_name,omitempty"`
	ClusterID   string `json:"cluster_id,omitempty"`
}

func (e *Engine) state() state {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := state{Initialized: true, Sealed: e.sealed, Version: "1.14.1+embedded"}
	if !e.sealed {
		s.Cluster, s.ClusterID = "embedded", "embedded"
	}
	return s
}

// health answers load balancers, which look at the status.
func (e *Engine) health(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		write(w, answer{status: http.StatusMethodNotAllowed, errors: []string{},
			allow: []string{http.MethodGet, http.MethodHead}})
		return
	}
	s, status, replication := e.state(), http.StatusOK, "disabled"
	if s.Sealed {
		status, replication = http.StatusServiceUnavailable, "unknown"
	}
	writeJSON(w, status, struct {
		state
		Standby     bool   `json:"standby"`
		Performance bool   `json:"performance_standby"`
		Replication string `json:"replication_performance_mode"`
		Recovery    string `json:"replication_dr_mode"`
		Time        int64  `json:"server_time_utc"`
	}{s, s.Sealed, false, replication, replication, time.Now().Unix()})
}

// sealStatus says whether the engine is sealed, to everyone.
func (e *Engine) sealStatus(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		write(w, answer{status: http.StatusMethodNotAllowed, errors: []string{}, allow: methods[Read]})
		return
	}
	writeJSON(w, http.StatusOK, struct {
		state
		Type         string `json:"type"`
		Threshold    int    `json:"t"`
		Shares       int    `json:"n"`
		Progress     int    `json:"progress"`
		Nonce        string `json:"nonce"`
		BuildDate    string `json:"build_date"`
		Migration    bool   `json:"migration"`
		RecoverySeal bool   `json:"recovery_seal"`
	}{state: e.state(), Type: "shamir", Threshold: 1, Shares: 1})
}

package kv_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
)

const refused = "1 error occurred:\n\t* permission denied\n\n"

// act is something that a token may or may not do.
type act struct{ name, method, path, body string }

// acts are all that there is to do below a base path: new is a path without a
// record, old one with.
var acts = []act{
	{"create", "POST", "data/base/x/new", written},
	{"update", "POST", "data/base/x/old", written},
	{"read", "GET", "data/base/x/old", ""},
	{"read version", "GET", "data/base/x/old?version=1", ""},
	{"read pointer", "GET", "data/base/x/pointer", ""},
	{"write pointer", "POST", "data/base/x/pointer", written},
	{"read generation", "GET", "data/base/x/generations/slot-000001", ""},
	{"read metadata", "GET", "metadata/base/x/old", ""},
	{"delete", "DELETE", "data/base/x/old", ""},
	{"delete versions", "POST", "delete/base/x/old", `{"versions":[1]}`},
	{"undelete", "POST", "undelete/base/x/old", `{"versions":[1]}`},
	{"destroy", "POST", "destroy/base/x/old", `{"versions":[1]}`},
	{"delete metadata", "DELETE", "metadata/base/x/old", ""},
	{"read base", "GET", "data/base/x", ""},
	{"read another base", "GET", "data/base/y/old", ""},
	{"write another base", "POST", "data/base/y/old", written},
	{"read a base that begins so", "GET", "data/base/xy/old", ""},
}

// able returns the names of the acts that a token of some rules may do, each
// tried in the same state.
func able(t *testing.T, b kvtest.Backend, rules ...kv.Rule) []string {
	admin := kvtest.Admin(t, b)
	holder := kvtest.As(t, b, b.Token(t, rules...))
	var names []string
	for _, a := range acts {
		admin.DeleteMetadata("base/x/new")
		for _, path := range []string{"x/old", "x/pointer", "x/generations/slot-000001", "y/old", "xy/old"} {
			admin.DeleteMetadata("base/" + path)
			admin.Write("base/"+path, map[string]any{"a": 1}, nil)
		}
		switch got := holder.Do(a.method, b.Mount+"/"+a.path, a.body); {
		case got.Status == http.StatusOK || got.Status == http.StatusNoContent:
			names = append(names, a.name)
		case got.Status != http.StatusForbidden || !slices.Equal(got.Errors(), []string{refused}):
			t.Errorf("%s: status %d, %q", a.name, got.Status, got.Errors())
		}
	}
	return names
}

// TestAdapterRules: the adapter's policy allows the adapter's own requests and nothing else,
// and each of its capabilities is needed for something.
func TestAdapterRules(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		rules := kv.AdapterRules(b.Mount, "base/x")
		all := []string{"create", "update", "read", "read version", "read pointer", "write pointer",
			"read generation", "read metadata"}
		got := able(t, b, rules...)
		check.That(t, slices.Equal(got, all), "able to %q, expected %q", got, all)
		for _, c := range []struct {
			rule       int
			capability string
			lost       []string
		}{
			{0, kv.Create, []string{"create"}},
			{0, kv.Update, []string{"update", "write pointer"}},
			{0, kv.Read, []string{"read", "read version", "read pointer", "read generation"}},
			{1, kv.Read, []string{"read metadata"}},
		} {
			left := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(c.lost, name) })
			if got := able(t, b, kvtest.Without(rules, c.rule, c.capability)...); !slices.Equal(got, left) {
				t.Errorf("without %s of rule %d: able to %q, expected %q", c.capability, c.rule, got, left)
			}
		}
	})
}

// TestConsumerRules: a consumer reads pointer and generations, and nothing else.
func TestConsumerRules(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		got := able(t, b, kv.ConsumerRules(b.Mount, "base/x")...)
		check.That(t, slices.Equal(got,
			[]string{"read pointer", "read generation"}), "able to %q", got)
		got = able(t, b)
		check.That(t, got == nil, "without a rule able to %q", got)
	})
}

// TestTokens: no one without a known token learns or does anything.
func TestTokens(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		kvtest.Admin(t, b).Write("a", map[string]any{"k": "v"}, nil)
		near := []byte(b.RootToken)
		near[len(near)-1] ^= 1
		for _, token := range []string{"", "unknown", string(near), b.RootToken + "x"} {
			for _, path := range []string{b.Mount + "/data/a", b.Mount + "/data/none", "none/data/a"} {
				a := kvtest.As(t, b, token).Do(http.MethodGet, path, nil)
				check.That(t, a.Status == http.StatusForbidden && slices.Equal(a.Errors(), []string{"permission denied"}),
					"%s: status %d, %q", path, a.Status, a.Errors())
			}
		}
		known := kvtest.As(t, b, b.Token(t, kv.Rule{Path: b.Mount + "/data/a", Capabilities: []string{kv.Read}}))
		_, _, status := known.Read("a", 0)
		check.That(t, status == http.StatusOK, "status %d", status)
		if a := known.Do(http.MethodGet, "none/data/a", nil); a.Status != http.StatusForbidden ||
			!slices.Equal(a.Errors(), []string{refused}) {
			t.Errorf("status %d, %q", a.Status, a.Errors())
		}
	})
}

// TestHeaders: the two headers that a token may come in, and the namespace's.
func TestHeaders(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		kvtest.Admin(t, b).Write("a", map[string]any{"k": "v"}, nil)
		root := b.RootToken
		for _, c := range []struct {
			token, authorization string
			status               int
		}{
			{root, "", 200}, {"", "Bearer " + root, 200}, {root, "Bearer x", 200},
			{"", "bearer " + root, 403}, {"", "Basic " + root, 403}, {"x", "Bearer " + root, 403},
		} {
			r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet,
				b.Address+"/v1/"+b.Mount+"/data/a", nil))(t)
			r.Header.Set("X-Vault-Token", c.token)
			r.Header.Set("Authorization", c.authorization)
			r.Header.Set("X-Vault-Namespace", "team")
			response := must.Get(b.Authority.HTTP().Do(r))(t)
			if response.Body.Close(); response.StatusCode != c.status {
				t.Errorf("status %d, expected %d", response.StatusCode, c.status)
			}
			check.Equal(t, response.Header.Get("X-Vault-Namespace"), "team", "namespace")
		}
	})
}

// TestSealed: a sealed engine does nothing for anyone, and forgets nothing.
func TestSealed(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		admin := kvtest.Admin(t, b)
		admin.Write("a", map[string]any{"k": "v"}, nil)
		token := b.Token(t, kv.Rule{Path: b.Mount + "/data/a", Capabilities: []string{kv.Read}})
		b.Seal(t)
		for _, c := range []*kvtest.Client{admin, kvtest.As(t, b, token), kvtest.As(t, b, "unknown"), kvtest.As(t, b, "")} {
			for _, path := range []string{b.Mount + "/data/a", "none/data/a"} {
				if a := c.Do(http.MethodGet, path, nil); a.Status != 503 || !slices.Equal(a.Errors(), []string{"Vault is sealed"}) {
					t.Errorf("%s: status %d, %q", path, a.Status, a.Errors())
				}
			}
		}
		check.Equal(t, admin.Do(http.MethodPost, b.Mount+"/data/a", written).Status, 503, "a write: status")
		b.Unseal(t)
		data, metadata, status := kvtest.As(t, b, token).Read("a", 0)
		check.That(t, status == 200 && data["k"] == "v" && metadata["version"] == 1.0,
			"unsealed: status %d, %v, %v", status, data, metadata)
	})
}

// TestOneWriterWins: of writers that expect the same version one writes it.
func TestOneWriterWins(t *testing.T) {
	const writers = 8
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		for version := range 5 {
			statuses := make([]int, writers)
			var group sync.WaitGroup
			for i := range writers {
				group.Go(func() {
					_, statuses[i] = kvtest.Admin(t, b).Write("a", map[string]any{"writer": i}, &version)
				})
			}
			group.Wait()
			winner := slices.Index(statuses, http.StatusOK)
			slices.Sort(statuses)
			must.That(t, statuses[0] == http.StatusOK && statuses[1] == http.StatusBadRequest &&
				statuses[writers-1] == http.StatusBadRequest, "version %d: %v", version, statuses)
			data, metadata, _ := kvtest.Admin(t, b).Read("a", 0)
			check.That(t, data["writer"] == float64(winner) && metadata["version"] == float64(version+1),
				"writer %d won, found %v, %v", winner, data, metadata)
		}
	})
}

// TestTenVersions: the eleventh version replaces the first one.
func TestTenVersions(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		admin := kvtest.Admin(t, b)
		for n := range 12 {
			admin.Write("a", map[string]any{"n": n}, nil)
			metadata, _ := admin.Metadata("a")
			versions, _ := metadata["versions"].(map[string]any)
			oldest := max(n-8, 0) // 0 before the tenth, by custom
			check.That(t, len(versions) == min(n+1, 10) && metadata["current_version"] == float64(n+1) &&
				metadata["oldest_version"] == float64(oldest), "%d versions written: %v", n+1, metadata)
		}
		_, _, status := admin.Read("a", 2)
		check.That(t, status == http.StatusNotFound, "version 2: status %d", status)
		data, _, status := admin.Read("a", 3)
		check.That(t, status == http.StatusOK && data["n"] == 2.0, "version 3: status %d, %v", status, data)
	})
}

// TestBigValue: a secret of most of a MiB comes back as it went.
func TestBigValue(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		admin, big := kvtest.Admin(t, b), strings.Repeat("0123456789abcde\n", 60_000)
		_, status := admin.Write("big", map[string]any{"v": big}, nil)
		must.That(t, status == http.StatusOK, "status %d", status)
		data, _, _ := admin.Read("big", 0)
		check.That(t, data["v"] == big, "another value")
	})
}

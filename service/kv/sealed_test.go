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

// TestSealed: a sealed engine does nothing for anyone, and forgets nothing.
func TestSealed(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		admin := kvtest.Admin(t, b)
		admin.Write("a", map[string]any{"k": "v"}, nil)
		token := b.Token(t, kv.Rule{Path: b.Mount() + "/data/a", Capabilities: []string{kv.Read}})
		b.Seal(t)
		for _, c := range []*kvtest.Client{admin, kvtest.As(t, b, token), kvtest.As(t, b, "unknown"), kvtest.As(t, b, "")} {
			for _, path := range []string{b.Mount() + "/data/a", "none/data/a"} {
				if a := c.Do(http.MethodGet, path, nil); a.Status != 503 || !slices.Equal(a.Errors(), []string{"Vault is sealed"}) {
					t.Errorf("%s: status %d, %q", path, a.Status, a.Errors())
				}
			}
		}
		check.Equal(t, admin.Do(http.MethodPost, b.Mount()+"/data/a", written).Status, 503, "a write: status")
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

// TestTenVersions: the eleventh version takes the first one's place.
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

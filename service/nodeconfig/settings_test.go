package nodeconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func TestKindsAndAbsence(t *testing.T) {
	free := []string{"trust_event_subscriber_spiffe_prefixes", "secret_store_namespace",
		"secret_store_ca_certificate_file", "secret_store_reload_arguments"}
	for name := range example(t) {
		part := strings.HasSuffix(name, "_enabled")
		for _, value := range []string{`"a\u0000"`, "-1", "[[]]", `{"":{}}`, "true"} {
			check.That(t, len(form(with(t, map[string]string{name: value}))) != 0 || (part && value == "true"),
				"%s as %s has no fault", name, value)
		}
		got := pointers(form(with(t, map[string]string{name: ""})))
		switch {
		case slices.Contains(free, name):
			check.That(t, len(got) == 0, "without %s: faults at %q", name, got)
		case part:
			check.That(t, len(got) != 0 && strings.HasPrefix(got[0], "/"+strings.TrimSuffix(name, "enabled")) &&
				!slices.Contains(got, "/"+name),
				"without %s: faults at %q", name, got)
		case name == reloadBinary:
			check.Equal(t, len(got), 3, "without %s: faults at %q", name, got)
		default:
			check.That(t, slices.Equal(got, []string{"/" + name}), "without %s: faults at %q", name, got)
		}
	}
}

// TestSwitches: a part that is off has none of its settings, and each that is
// left behind is a fault of its own.
func TestSwitches(t *testing.T) {
	settings := example(t)
	for _, prefix := range []string{"dependency_discovery_", "otlp_audit_", "secret_store_"} {
		for _, off := range []string{"false", ""} {
			without := map[string]string{prefix + "enabled": off}
			for name := range settings {
				if strings.HasPrefix(name, prefix) && name != prefix+"enabled" {
					without[name] = ""
				}
			}
			faults := form(with(t, without))
			check.That(t, len(faults) == 0, "%s off: %v", prefix, faults)
			for name := range without {
				if name == prefix+"enabled" {
					continue
				}
				changes := maps.Clone(without)
				changes[name] = string(settings[name])
				got := pointers(form(with(t, changes)))
				check.That(t, slices.Equal(got, []string{"/" + name}), "%s left behind: faults at %q", name, got)
			}
		}
	}
}

func TestDependentSettings(t *testing.T) {
	noReload := map[string]string{reloadBinary: "", "secret_store_reload_binary_sha256": "",
		"secret_store_reload_arguments": "", "secret_store_reload_timeout_seconds": ""}
	noClient := map[string]string{"secret_store_client_certificate_file": "", "secret_store_client_private_key_file": ""}
	for _, without := range []map[string]string{noReload, noClient} {
		faults := form(with(t, without))
		check.That(t, len(faults) == 0, "without %q: %v", slices.Sorted(maps.Keys(without)), faults)
	}
	for name := range noReload {
		if name == reloadBinary {
			continue
		}
		changes := maps.Clone(noReload)
		changes[name] = string(example(t)[name])
		got := pointers(form(with(t, changes)))
		check.That(t, slices.Equal(got, []string{"/" + name}), "%s without a binary: faults at %q", name, got)
	}
}

func TestUnknownNames(t *testing.T) {
	for _, name := range []string{"x", "", "Tenant_id", "otlp_audit_headers", "secret_store_token", "tenant_id "} {
		got := pointers(form(with(t, map[string]string{name: `"x"`})))
		check.That(t, slices.Equal(got, []string{"/" + name}), "%q: faults at %q", name, got)
	}
}

func TestDocumentsThatAreNone(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for _, doc := range []string{"", "null", "[]", `"a"`, "1", "{", "{}{}", "\ufeff{}", `{"a":1,"a":1}`, `{"a":null}`,
		`{"a":1.0}`, deep, "{}" + strings.Repeat(" ", maxConfig)} {
		got := form([]byte(doc))
		check.That(t, len(got) == 1 && got[0].Expected != "" && got[0].Found != "", "%.20q: %v", doc, got)
	}
	got := form([]byte("{}"))
	check.That(t, len(got) == 16, "an empty object has %d faults: %v", len(got), got)
}

// TestFaultsAreBounded: sorted, each once, in ASCII, and no more than a person
// can read.
func TestFaultsAreBounded(t *testing.T) {
	changes := map[string]string{"tenant_id": text("\u202e" + strings.Repeat("x", 10_000))}
	for i := range 2 * maxFaults {
		changes[fmt.Sprintf("unknown %d", i)] = "1"
	}
	faults := form(with(t, changes))
	check.That(t, len(faults) == maxFaults &&
		slices.IsSortedFunc(faults, func(a, b Fault) int { return strings.Compare(a.Pointer, b.Pointer) }),
		"%d faults", len(faults))
	for _, f := range faults {
		check.That(t, len(f.Found) <= 2*safetext.Value &&
			!strings.ContainsFunc(f.Expected+f.Found, func(r rune) bool { return r < ' ' || r > '~' }), "found %q", f.Found)
	}
}

func TestCovers(t *testing.T) {
	tests := []struct {
		prefix SPIFFEPrefix
		id     string
		want   bool
	}{
		{"spiffe://a/b", "spiffe://a/b", true},
		{"spiffe://a/b", "spiffe://a/b/c", true},
		{"spiffe://a/b", "spiffe://a/bc", false},
		{"spiffe://a/b", "spiffe://a/b-c", false},
		{"spiffe://a/b", "spiffe://a/B", false},
		{"spiffe://a/b", "spiffe://a", false},
		{"spiffe://a/b/c", "spiffe://a/b", false},
		{"spiffe://a/b", "spiffe://a.x/b", false},
		{"spiffe://a/b", "spiffe://a/b/", false},
		{"spiffe://a/b", "spiffe://a/b/../c", false},
		{"spiffe://a/b", "spiffe://a/b/./c", false},
		{"spiffe://a/b", "spiffe://a/b//c", false},
		{"spiffe://a/b", "spiffe://a/b?c", false},
		{"spiffe://a/b", "spiffe://a/b/" + strings.Repeat("c", maxSPIFFE), false},
		{"spiffe://a/b", "", false},
		{"", "", false},
		{"", "/spiffe://a/b", false},
	}
	for _, tt := range tests {
		check.Equal(t, tt.prefix.Covers(tt.id), tt.want, "%q covers %.40q", tt.prefix, tt.id)
	}
}

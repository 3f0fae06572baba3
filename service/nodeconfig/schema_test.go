package nodeconfig

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"filippo.io/edwards25519"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/nodeconfig/configtest"
)

func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	must.Do(t, c.AddResource("urn:svc-edge:schema:node-config:v1", strings.NewReader(string(Schema()))))
	return must.Get(c.Compile("urn:svc-edge:schema:node-config:v1"))(t)
}

// decoded reads a document for the schema library, and for the rules below.
func decoded(t testing.TB, doc []byte) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(doc)))
	d.UseNumber()
	var v any
	must.Do(t, d.Decode(&v))
	return v
}

// TestSchemaIsClosed: every object is closed, every member described, every
// list and every text bounded.
func TestSchemaIsClosed(t *testing.T) {
	var s map[string]any
	must.Do(t, json.Unmarshal(Schema(), &s))
	check.That(t, s["$schema"] == "https://json-schema.org/draft/2020-12/schema" && s["additionalProperties"] == false,
		"the schema is open, or of another draft")
	var inspect func(place string, v any)
	inspect = func(place string, v any) {
		node, ok := v.(map[string]any)
		if !ok {
			return
		}
		ref, _ := node["$ref"].(string)
		switch {
		case node["description"] == nil:
			t.Errorf("%s has no description", place)
		case ref != "" && !strings.HasPrefix(ref, "#/$defs/"):
			t.Errorf("%s refers to %q", place, ref)
		case node["type"] == "array" && node["maxItems"] == nil, node["type"] == "string" && node["maxLength"] == nil,
			node["type"] == "object" && node["additionalProperties"] == nil:
			t.Errorf("%s has no bound", place)
		}
		for _, key := range []string{"properties", "$defs"} {
			members, _ := node[key].(map[string]any)
			for name, member := range members {
				inspect(place+"/"+name, member)
			}
		}
		inspect(place+"/*", node["items"])
		inspect(place+"/*", node["additionalProperties"])
	}
	inspect("", s)
}

// TestSchemaAndTableAndPage: the schema, the table of the program, the example
// and service/docs/node-config.md know the same settings.
func TestSchemaAndTableAndPage(t *testing.T) {
	var s struct {
		Properties map[string]any `json:"properties"`
	}
	must.Do(t, json.Unmarshal(Schema(), &s))
	root, fault := ijson.Parse(configtest.Config)
	must.That(t, fault == nil, "%v", fault)
	d := newDecoder(&collector{}, root, "")
	d.decode()
	want := slices.Sorted(maps.Keys(d.known))
	for what, names := range map[string][]string{"the schema": slices.Sorted(maps.Keys(s.Properties)),
		"the example": slices.Sorted(maps.Keys(example(t)))} {
		check.That(t, slices.Equal(names, want), "%s has %q, the program %q", what, names, want)
	}
	page := must.Get(os.ReadFile(filepath.Join("..", "docs", "node-config.md")))(t)
	for _, name := range want {
		check.That(t, strings.Contains(string(page), "| `"+name+"` |"), "docs/node-config.md has no row for %s", name)
	}
	check.That(t, strings.Contains(string(page), "](../nodeconfig/configtest/config.json)"),
		"docs/node-config.md does not link the example")
}

// FuzzForm changes one setting of the example and takes out another. Read has no
// fault of form if and only if the schema accepts the document and the rules
// hold that a schema cannot say, written once more in another way.
func FuzzForm(f *testing.F) {
	schema := compiled(f)
	for name, value := range example(f) {
		f.Add(name, string(value), "")
		f.Add(name, string(value), name)
	}
	for _, host := range slices.Concat(goodHosts, badHosts) {
		f.Add("cloud_url", text("https://"+host), "secret_store_namespace")
		f.Add("secret_store_health_url", text("https://"+host+":443/a/./b"), "")
		f.Add("dependency_discovery_probes", `[{"service":"a","address":`+text(host+":65536")+
			`},{"service":"a","address":"b:1"}]`, "")
		f.Add("local_api_address", text(host+":1"), "")
	}
	f.Add("policy_public_keys", `{"a":"`+identity+`","b":"Wo2iYfpnyrh14a7mO-fUAWKMxgneB4vx6NpIFZqr5KY"}`, "")
	f.Add("secret_store_enabled", "false", reloadBinary)
	f.Add("trust_event_subscriber_spiffe_prefixes", `["spiffe://a/../b","spiffe://a/..."]`, "otlp_audit_enabled")
	f.Add("secret_store_reload_arguments", `["{certificate}x","}{"]`, "secret_store_client_private_key_file")
	f.Add("x~/y", `{"a":[1]}`, "")
	f.Fuzz(func(t *testing.T, name, value, without string) {
		settings := example(t)
		settings[name] = json.RawMessage(value)
		delete(settings, without)
		if _, fault := ijson.Parse([]byte(value)); fault != nil {
			return
		}
		doc, err := json.Marshal(settings)
		if err != nil {
			return
		}
		if _, fault := ijson.Parse(doc); fault != nil {
			return
		}
		v := decoded(t, doc)
		want := schema.Validate(v) == nil && rulesHold(v.(map[string]any))
		faults := form(doc)
		if got := len(faults) == 0; got != want {
			t.Fatalf("%s = %s without %s: the schema says %v, the rules %t, and the faults are %v", name, value, without,
				schema.Validate(v), rulesHold(v.(map[string]any)), faults)
		}
	})
}

// rulesHold is every rule of form that the schema cannot say, of a document that
// the schema accepts. A document that it refuses may make it panic.
func rulesHold(settings map[string]any) (holds bool) {
	defer func() { holds = holds && recover() == nil }()
	get := func(name string) string { s, _ := settings[name].(string); return s }
	for _, name := range []string{"cloud_url", "otlp_audit_endpoint", "secret_store_address", "secret_store_health_url"} {
		if u, err := url.Parse(get(name)); get(name) != "" && (err != nil || !oneHost(u)) {
			return false
		}
	}
	services := map[any]bool{}
	probes, _ := settings["dependency_discovery_probes"].([]any)
	for _, p := range probes {
		u, err := url.Parse("https://" + p.(map[string]any)["address"].(string))
		if err != nil || !oneHost(u) {
			return false
		}
		services[p.(map[string]any)["service"]] = true
	}
	listen, err := netip.ParseAddrPort(get("local_api_address"))
	inside := listen.Addr().Unmap() == listen.Addr() && !listen.Addr().IsMulticast()
	return err == nil && inside && listen.Port() != 0 && listen.String() == get("local_api_address") &&
		len(services) == len(probes) && noDots(settings) && soundKeys(settings)
}

// oneHost: a URL of one spelling to one other party.
func oneHost(u *url.URL) bool {
	host := u.Hostname()
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n > 65535 {
			return false
		}
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String() == host && !addr.Is4In6() && addr.Zone() == "" && !addr.IsUnspecified() && !addr.IsMulticast()
	}
	last := host[strings.LastIndex(host, ".")+1:]
	return !strings.Contains(host, ":") && len(host) <= 253 && 'a' <= last[0] && last[0] <= 'z'
}

// noDots: no path has a segment that means another.
func noDots(settings map[string]any) bool {
	health, _ := settings["secret_store_health_url"].(string)
	paths := []any{settings["secret_store_kv_mount"], settings["secret_store_kv_base_path"],
		settings["secret_store_namespace"], health}
	prefixes, _ := settings["trust_event_subscriber_spiffe_prefixes"].([]any)
	for _, path := range append(paths, prefixes...) {
		path, _ := path.(string)
		if s := "/" + path + "/"; strings.Contains(s, "/./") || strings.Contains(s, "/../") {
			return false
		}
	}
	return true
}

// soundKeys: no key twice, and each the one encoding of a point that is not of
// small order.
func soundKeys(settings map[string]any) bool {
	seen := map[any]bool{}
	for _, name := range []string{"policy_public_keys", "audit_public_keys"} {
		for _, text := range settings[name].(map[string]any) {
			key, err := base64.RawURLEncoding.DecodeString(text.(string))
			if err != nil || seen[text] {
				return false
			}
			seen[text] = true
			p, err := new(edwards25519.Point).SetBytes(key)
			if err != nil || !bytes.Equal(p.Bytes(), key) ||
				new(edwards25519.Point).MultByCofactor(p).Equal(edwards25519.NewIdentityPoint()) == 1 {
				return false
			}
		}
	}
	return true
}

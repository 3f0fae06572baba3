package nodeconfig

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/nodeconfig/configtest"
)

// example returns the settings of the example, each with its JSON text.
func example(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	var settings map[string]json.RawMessage
	must.Do(t, json.Unmarshal(configtest.Config, &settings))
	return settings
}

// with returns the example with some settings replaced; "" removes one.
func with(t testing.TB, changes map[string]string) []byte {
	t.Helper()
	settings := example(t)
	for name, value := range changes {
		if value == "" {
			delete(settings, name)
		} else {
			settings[name] = json.RawMessage(value)
		}
	}
	var out strings.Builder
	for i, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&out, "%c%q:%s", "{,"[min(i, 1)], name, settings[name])
	}
	return []byte(out.String() + "}")
}

// form returns the faults of form of a document.
func form(doc []byte) Faults {
	c := &collector{}
	c.decode(doc, "/etc/node")
	return c.faults.sorted()
}

// pointers returns where the faults are.
func pointers(faults Faults) []string {
	list := []string{}
	for _, f := range faults {
		list = append(list, f.Pointer)
	}
	return list
}

// text writes a JSON string.
func text(s string) string {
	doc, _ := json.Marshal(s) // a string always has one
	return string(doc)
}

func texts(list ...string) []string {
	for i, s := range list {
		list[i] = text(s)
	}
	return list
}

// identity is the encoding of the point that signs for anything.
var identity = base64.RawURLEncoding.EncodeToString(append([]byte{1}, make([]byte, ed25519.PublicKeySize-1)...))

// hosts are hosts with a port, by whether a URL may name them.
var (
	goodHosts = []string{"a", "a.b", "xn--a", "a-b.c", "1a.b", "192.0.2.1", "[2001:db8::1]", "[::1]",
		strings.Repeat("a", 63) + ".b", strings.Repeat("a.", 126) + "a"}
	badHosts = []string{"", "A", "a.", ".a", "a..b", "-a", "a-", "a_b", "a b", "%61", "ä", "1", "a.1", "0x7f", "a.0x7f",
		"1.2.3", "192.0.2.01", "192.0.2.256", "0.0.0.0", "224.0.0.1",
		"[::]", "[ff02::1]", "[2001:DB8::1]", "[2001:db8:0::1]", "[::ffff:192.0.2.1]", "[fe80::1%25eth0]", "[fe80::1%eth0]",
		"[192.0.2.1]", "[::1", "::1", "u@a", "u:p@a",
		strings.Repeat("a", 64) + ".b", strings.Repeat("a.", 127) + "a"}
)

// urls returns URLs that are good or bad for all three kinds of URL, each with this path.
func urls(path string) (good, bad []string) {
	for _, host := range goodHosts {
		good = append(good, "https://"+host+path)
	}
	for _, host := range badHosts {
		bad = append(bad, "https://"+host+path)
	}
	for _, port := range []string{"1", "443", "8443", "65535"} {
		good = append(good, "https://a:"+port+path, "https://[::1]:"+port+path)
	}
	for _, port := range []string{"", "0", "0443", "65536", "99999", "-1", "+1", "a", "1:2"} {
		bad = append(bad, "https://a:"+port+path, "https://[::1]:"+port+path)
	}
	bad = append(bad, "", "https:", "http://a"+path, "HTTPS://a"+path, "https:/a"+path, "//a"+path, " https://a"+path,
		"https://a"+path+"?q", "https://a"+path+"?", "https://a"+path+"#f", "https://a"+path+"#", "https://a"+path+"\n",
		"https://a\\"+path)
	return texts(good...), texts(bad...)
}

func TestTextsAndNumbers(t *testing.T) {
	digest := strings.Repeat("0f", 32)
	subjects := [2][]string{texts("a", strings.Repeat("a", 100), "A.z_0:@-"),
		texts("", "a/b", "a b", "ä", "a\n", strings.Repeat("a", 101))}
	identifiers := [2][]string{texts("a/b", strings.Repeat("a", 128)),
		texts("", "a b", "ä", "a\n", strings.Repeat("a", 129))}
	segments := "A-z.0_~"
	tests := []struct {
		name      string
		good, bad []string
	}{
		{"tenant_id", subjects[0], subjects[1]},
		{"node_id", subjects[0], subjects[1]},
		{"otlp_audit_exporter_id", identifiers[0], identifiers[1]},
		{"secret_store_profile_id", identifiers[0], identifiers[1]},
		{"state_directory", texts("a", "/a", "../a b/ä", strings.Repeat("ä", 4096)),
			texts("", "a\x00", "a\nb", "\x7f", strings.Repeat("ä", 4097))},
		{"local_api_address", texts("127.0.0.1:1", "0.0.0.0:65535", "[::]:8443", "[2001:db8::1]:443"),
			texts("", "a:1", "localhost:1", ":1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:01", "127.0.0.1:65536",
				"127.0.0.01:1", "::1:1", "[::1]", "[::0]:1", "[::A]:1",
				"[::ffff:127.0.0.1]:1", "[fe80::1%eth0]:1", "224.0.0.1:1", "[ff02::1]:1", "[127.0.0.1]:1")},
		{"secret_store_adapter_reference", texts("local/a", "local/0._-", "local/"+strings.Repeat("a", 100)),
			texts("", "local/", "local", "Local/a", "/local/a", "local/a/b", "local/-a", "local/.", "local/..", "local/a ",
				"local/a:", "local/"+strings.Repeat("a", 101))},
		{"secret_store_namespace", texts("", "a", "a/b", strings.Repeat("a", 512)),
			texts("/a", "a/", "a//b", "..", "a/./b", "a b", "a\r\nX: y", strings.Repeat("a", 513))},
		{"secret_store_kv_mount", texts(segments, "...", strings.Repeat("a", 128)),
			texts("", "a/b", ".", "..", "a b", "a%2fb", "ä", "a?", strings.Repeat("a", 129))},
		{"secret_store_kv_base_path", texts(segments, "a/b", ".../a", strings.Repeat("a/", 255)+"ab"),
			texts("", "/", "/a", "a/", "a//b", ".", "..", "./a", "../a", "a/..", "a/./b", "a b", "a%2e", "a*", "a\\b",
				strings.Repeat("a/", 256)+"a")},
		{"secret_store_reload_binary_sha256", texts(digest, strings.Repeat("0", 64)),
			texts("", strings.ToUpper(digest), digest[1:], digest+"0", digest+"\n", strings.Repeat("g", 64))},
		{"otlp_audit_batch_size", []string{"1", "64"}, []string{"0", "65", "-1"}},
		{"otlp_audit_request_timeout_seconds", []string{"2", "60"}, []string{"1", "61"}},
		{"otlp_audit_poll_interval_seconds", []string{"1", "300"}, []string{"0", "301"}},
		{"cloud_request_timeout_seconds", []string{"2", "60"}, []string{"1", "61"}},
		{"cloud_poll_interval_seconds", []string{"1", "300"}, []string{"0", "301"}},
		{"dependency_discovery_interval_seconds", []string{"10", "3600"}, []string{"9", "3601"}},
		{"dependency_discovery_timeout_seconds", []string{"1", "10"}, []string{"0", "11"}},
		{"secret_store_request_timeout_seconds", []string{"2", "60"}, []string{"1", "61"}},
		{"secret_store_rollback_window_seconds", []string{"60", "86400"}, []string{"59", "86401"}},
		{"secret_store_reload_timeout_seconds", []string{"2", "60"}, []string{"1", "61", "9007199254740991"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { judge(t, tt.name, tt.good, tt.bad) })
	}
}

// judge holds that the good values of a setting have no fault, and that each
// bad one has faults at that setting and nowhere else.
func judge(t *testing.T, name string, good, bad []string) {
	t.Helper()
	for _, value := range good {
		faults := form(with(t, map[string]string{name: value}))
		check.That(t, len(faults) == 0, "%.80s: %v", value, faults)
	}
	for _, value := range bad {
		faults := form(with(t, map[string]string{name: value}))
		at := pointers(faults)
		check.That(t, len(at) != 0 &&
			!slices.ContainsFunc(at, func(p string) bool { return p != "/"+name && !strings.HasPrefix(p, "/"+name+"/") }),
			"%.80s: %v", value, faults)
	}
}

func TestURLs(t *testing.T) {
	for name, path := range map[string]string{
		"cloud_url": "", "secret_store_address": "", "otlp_audit_endpoint": "/v1/logs", "secret_store_health_url": "/a/b",
	} {
		good, bad := urls(path)
		judge(t, name, good, bad)
	}
	long := strings.Repeat("a", 1024-len("https://a/"))
	judge(t, "cloud_url", nil, texts("https://a/", "https://a/v1", "https://"))
	judge(t, "otlp_audit_endpoint", nil, texts("https://a", "https://a/", "https://a/v1/logs/", "https://a/v1/log",
		"https://a/V1/logs", "https://a//v1/logs", "https://a/v1/%6cogs", "https://a/x/v1/logs", "https://a/x/../v1/logs",
		"https:///v1/logs"))
	judge(t, "secret_store_health_url", texts("https://a/", "https://a/b/", "https://a/"+long),
		texts("https://a", "https://a//", "https://a/b//c", "https://a/..", "https://a/./b", "https://a/%62", "https://a/b c",
			"https://a/"+long+"a"))
}

func TestProbes(t *testing.T) {
	const name = "dependency_discovery_probes"
	probe := func(service, address string) string {
		return fmt.Sprintf(`{"service":%q,"address":%q}`, service, address)
	}
	many := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = probe(fmt.Sprint(i), "a:1")
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	good := []string{many(1), many(64)}
	bad := []string{"[]", many(65), `[1]`, "{}", `[{"service":"a"}]`, `[{"address":"a:1"}]`,
		`[{"service":"a","address":"a:1","port":1}]`,
		"[" + probe("a", "a:1") + "," + probe("a", "b:1") + "]", "[" + probe("a b", "a:1") + "]", "[" + probe("a", "a") + "]",
		"[" + probe("a", ":1") + "]", "[" + probe("a", "https://a:1") + "]"}
	for _, host := range goodHosts {
		good = append(good, "["+probe("a", host+":443")+"]")
	}
	for _, host := range badHosts {
		bad = append(bad, "["+probe("a", host+":443")+"]")
	}
	judge(t, name, good, bad)
	thrice := "[" + probe("a", "a:1") + "," + probe("a", "b:1") + "," + probe("a", "c:1") + "]"
	faults := form(with(t, map[string]string{name: thrice}))
	check.That(t, len(faults) == 1, "one service three times: %v", faults)
}

func TestLists(t *testing.T) {
	numbered := func(n int, form string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = text(fmt.Sprintf(form, i))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	long := "spiffe://a/" + strings.Repeat("b", 2048-len("spiffe://a/"))
	const prefixes = "trust_event_subscriber_spiffe_prefixes"
	judge(t, prefixes, []string{"[]", numbered(64, "spiffe://a/%d"), `["spiffe://a_b.c-1/A.z_-0/b"]`, `["` + long + `"]`,
		`["spiffe://a/..."]`},
		[]string{`"spiffe://a/b"`, numbered(65, "spiffe://a/%d"), `["spiffe://a/b","spiffe://a/b"]`,
			`["spiffe://a/b","spiffe:\/\/a/\u0062"]`, `["` + long + `b"]`, `["spiffe://` + strings.Repeat("a", 256) + `/b"]`,
			`["spiffe://a"]`, `["spiffe://a/"]`, `["spiffe:///b"]`, `["spiffe://a/b/"]`, `["spiffe://a//b"]`, `["spiffe://a/."]`,
			`["spiffe://a/../b"]`, `["spiffe://A/b"]`, `["SPIFFE://a/b"]`,
			`["https://a/b"]`, `["spiffe://a:1/b"]`, `["spiffe://u@a/b"]`, `["spiffe://a/b?c"]`, `["spiffe://a/b#c"]`,
			`["spiffe://a/%62"]`, `["spiffe://a/b*"]`, `[""]`, `[1]`})
	judge(t, "cloud_public_key_sha256", []string{numbered(1, "%064d"), numbered(8, "%064d")},
		[]string{"[]", numbered(9, "%064d"), numbered(1, "%063d"), `["` + strings.Repeat("0", 64) + `","` +
			strings.Repeat("0", 64) + `"]`})
	same := "[" + strings.TrimSuffix(strings.Repeat(`"a",`, 32), ",") + "]"
	judge(t, "secret_store_reload_arguments",
		[]string{"[]", same, `["{certificate}{certificate}","a b\\$(c)","` + strings.Repeat("ä", 1024) + `"]`},
		[]string{`"a"`, "[" + same[1:len(same)-1] + `,"a"]`, `[""]`, `["{"]`, `["}"]`, `["{key}"]`, `["{Certificate}"]`,
			`["{certificate"]`, `["{{certificate}}"]`, `["a\u0000"]`, `["a\n"]`, `["` + strings.Repeat("ä", 1025) + `"]`,
			`[1]`})
}

func TestKeys(t *testing.T) {
	settings := example(t)
	var audit map[string]string
	must.Do(t, json.Unmarshal(settings["audit_public_keys"], &audit))
	key, other := audit["audit-2026-1"], audit["audit-2026-2"]
	keys := func(n int) string {
		list := make([]string, n)
		for i := range list {
			seed := make([]byte, ed25519.SeedSize)
			seed[0] = byte(i)
			public := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
			list[i] = fmt.Sprintf(`"k%d":%q`, i, base64.RawURLEncoding.EncodeToString(public))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	one := func(value string) string { return fmt.Sprintf(`{"a":%q}`, value) }
	judge(t, "audit_public_keys", []string{keys(1), keys(16), one(key), `{"a/b":"` + key + `"}`},
		[]string{"{}", "[]", keys(17), one(""), one(key[1:]), one(key + "="), one(key[:42] + "B"), one("+" + key[1:]),
			one(identity), one(strings.Repeat("_", 42) + "8"), `{"a":1}`, `{"":"` + key + `"}`, `{"a b":"` + key + `"}`,
			`{"a":"` + key + `","b":"` + key + `"}`})
	both := with(t, map[string]string{"policy_public_keys": one(other)})
	got := pointers(form(both))
	check.That(t, slices.Equal(got, []string{"/audit_public_keys/audit-2026-2"}), "a key in two roles: faults at %q", got)
}

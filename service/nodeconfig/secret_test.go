//go:build unix

package nodeconfig

import (
	"bytes"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/service/nodeconfig/configtest"
)

// secret is a text that no message may show, not even a part of eight characters.
const secret = "Zq7LwXp3Rt9VbN2kYd8H" // #nosec G101 -- of nothing

// quiet holds that a message shows nothing of the secret.
func quiet(t *testing.T, what, message string) {
	t.Helper()
	for i := range len(secret) - 7 {
		if strings.Contains(message, secret[i:i+8]) {
			t.Errorf("%s: the message shows the secret: %s", what, message)
			return
		}
	}
}

// TestSecretFilesAreNotShown spoils every file with a key or a token in many
// ways, with the secret in it.
func TestSecretFilesAreNotShown(t *testing.T) {
	s := newScene(t)
	key := s.bytes("pki/api.key")
	spoiled := [][]byte{
		[]byte(secret + " " + secret), []byte(secret + "\n\n"), []byte("\x00" + secret),
		[]byte("-----BEGIN PRIVATE KEY-----\n" + secret + "\n-----END PRIVATE KEY-----\n"),
		[]byte("-----BEGIN " + secret + "-----\nAAAA\n-----END " + secret + "-----\n"),
		[]byte("-----BEGIN PRIVATE KEY-----\nX: " + secret + "\n\nAAAA\n-----END PRIVATE KEY-----\n"),
		append(bytes.Clone(key), secret+" "...), append([]byte(secret+" \n"), key...),
		[]byte(strings.Repeat(secret+" ", maxSecret)),
	}
	for setting, name := range secretFiles {
		good := s.bytes(name)
		for _, content := range spoiled {
			s.put(name, content)
			_, faults := s.read(configtest.At)
			check.That(t, len(faults) != 0, "%s: %.40q has no fault", setting, content)
			quiet(t, setting, faults.Error())
		}
		s.put(name, good)
	}
}

// TestConfigIsNotAKey: a key or a token given as the configuration is not shown, whatever the
// strict reader reports about it.
func TestConfigIsNotAKey(t *testing.T) {
	for _, doc := range []string{secret, secret + "\n", "-----BEGIN PRIVATE KEY-----\n" + secret, "1 " + secret,
		"{} " + secret, `{"a":"` + secret, `{"a":"\` + secret + `"}`, `{"a":` + secret + `}`, `{"a":1` + secret + `}`,
		`{"a":"` + secret + "\n" + `"}`} {
		faults := form([]byte(doc))
		check.That(t, len(faults) != 0, "%q has no fault", doc)
		quiet(t, doc, faults.Error())
	}
}

// TestSecretsInSettings: a password in a URL, a key where a path or a public key
// belongs, an argument of the executable, and the value of an unknown name.
func TestSecretsInSettings(t *testing.T) {
	paths := []string{secret + "\n", "-----BEGIN PRIVATE KEY-----\n" + secret, secret}
	urls := []string{"https://u:" + secret + "@a/v1/logs", secret + "@a", "https://a/?token=" + secret,
		"https://a/#" + secret}
	s := newScene(t)
	for name, values := range map[string][]string{
		"secret_store_token_file": paths, "local_api_private_key_file": paths,
		"secret_store_bootstrap_private_key_file": paths, "cloud_ca_file": paths, "state_directory": paths,
		"cloud_url": urls, "otlp_audit_endpoint": urls, "secret_store_address": urls, "secret_store_health_url": urls,
		"secret_store_token": {secret}, "otlp_audit_headers": {secret},
	} {
		for _, value := range values {
			s.put("config.json", with(t, map[string]string{name: text(value)}))
			_, faults := s.read(configtest.At)
			check.That(t, len(faults) != 0, "%s as %q has no fault", name, value)
			quiet(t, name, faults.Error())
		}
	}
	for name, value := range map[string]string{
		"policy_public_keys": `{"a":"` + secret + `"}`, "secret_store_reload_arguments": `["--token=` + secret + `{"]`,
		"dependency_discovery_probes": `[{"service":"a","address":"u:` + secret + `@a:1"}]`,
	} {
		faults := form(with(t, map[string]string{name: value}))
		check.That(t, len(faults) != 0, "%s as %s has no fault", name, value)
		quiet(t, name, faults.Error())
	}
}

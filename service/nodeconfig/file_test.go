//go:build unix

package nodeconfig

import (
	"crypto"
	"crypto/x509"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/nodeconfig/configtest"
)

// scene is a folder with the example and all its files.
type scene struct {
	*testing.T
	dir string
}

func newScene(t *testing.T) scene {
	s := scene{t, t.TempDir()}
	configtest.Write(t, s.dir)
	return s
}

func (s scene) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// read reads the configuration of the scene, which must be readable.
func (s scene) read(at time.Time) (*Config, Faults) {
	s.Helper()
	config, faults, err := Read(s.path("config.json"), at)
	must.That(s, err == nil && (config == nil) != (len(faults) == 0), "%v, %v, %v", config, faults, err)
	return config, faults
}

func (s scene) put(name string, content []byte) {
	info := must.Get(os.Stat(s.path(name)))(s)
	configtest.Put(s, s.dir, name, info.Mode().Perm(), content)
}

func (s scene) bytes(name string) []byte {
	return must.Get(os.ReadFile(s.path(name)))(s)
}

func (s scene) chmod(name string, mode os.FileMode) { must.Do(s, os.Chmod(s.path(name), mode)) }

// link moves a file away and puts a symbolic link to it in its place.
func (s scene) link(name string) {
	must.Do(s, os.Rename(s.path(name), s.path(name)+".real"))
	must.Do(s, os.Symlink(filepath.Base(name)+".real", s.path(name)))
}

// pipe puts a named pipe in the place of a file.
func (s scene) pipe(name string) {
	must.Do(s, os.RemoveAll(s.path(name)))
	must.Do(s, syscall.Mkfifo(s.path(name), 0o600))
}

// identity replaces a certificate and its key.
func (s scene) identity(name string, key crypto.Signer, chain ...*configtest.Issued) {
	s.put("pki/"+name+".pem", configtest.Certificates(chain...))
	s.put("pki/"+name+".key", testca.PrivateKey(key))
}

// settings are the files of the example by their settings.
var (
	secretFiles = map[string]string{ // #nosec G101 -- names of files
		"local_api_private_key_file": "pki/api.key", "cloud_client_private_key_file": "pki/node.key",
		"otlp_audit_client_private_key_file":      "pki/exporter.key",
		"secret_store_client_private_key_file":    "pki/store-client.key",
		"secret_store_bootstrap_private_key_file": "pki/bootstrap.key", "secret_store_token_file": "secrets/store-token",
	}
	chainFiles = map[string]string{ // #nosec G101 -- names of files
		"local_api_certificate_file": "pki/api.pem", "cloud_client_certificate_file": "pki/node.pem",
		"otlp_audit_client_certificate_file":      "pki/exporter.pem",
		"secret_store_client_certificate_file":    "pki/store-client.pem",
		"secret_store_bootstrap_certificate_file": "pki/bootstrap.pem",
	}
	bundleFiles = map[string]string{ // #nosec G101 -- names of files
		"local_api_client_ca_file": "pki/observers-ca.pem", "cloud_ca_file": "pki/cloud-ca.pem",
		"otlp_audit_trust_bundle_file": "pki/collector-ca.pem", "secret_store_ca_certificate_file": "pki/store-ca.pem",
	}
)

// TestExampleIsWhole: the example has no fault, and every field of the Config
// has a value.
func TestExampleIsWhole(t *testing.T) {
	s := newScene(t)
	config, faults := s.read(configtest.At)
	must.That(t, len(faults) == 0, "%v", faults)
	whole(t, "Config", reflect.ValueOf(*config))
	if config.Store.Reload.Binary.Path != s.path("bin/reload") || config.Cloud.PollInterval != 10*time.Second ||
		config.Export.Endpoint != "https://collector.acme.example:4318/v1/logs" {
		t.Errorf("%+v", config)
	}
	token, err := config.Store.Token()
	check.That(t, token == configtest.Token && err == nil, "the token is %q, %v", token, err)
	leaf := config.Export.Identity.Chain[0]
	check.Do(t, check.Err(leaf.Verify(x509.VerifyOptions{Roots: config.Export.Authorities.Pool(),
		CurrentTime: configtest.At, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})))
}

// whole holds that a value and the structures in it have no zero field.
func whole(t *testing.T, place string, v reflect.Value) {
	switch {
	case v.IsZero():
		t.Errorf("%s is empty", place)
	case v.Kind() == reflect.Pointer && strings.HasPrefix(v.Type().Elem().PkgPath(), "github.com/svc-edge"):
		whole(t, place, v.Elem())
	case v.Kind() == reflect.Struct && strings.HasPrefix(v.Type().PkgPath(), "github.com/svc-edge"):
		for i := range v.NumField() {
			whole(t, place+"."+v.Type().Field(i).Name, v.Field(i))
		}
	}
}

// TestEveryFile: the rules for all files of a kind, applied to each of them.
func TestEveryFile(t *testing.T) {
	modes := func(bad ...os.FileMode) []os.FileMode { return bad }
	for _, group := range []struct {
		files     map[string]string
		good, bad []os.FileMode
		followed  bool
	}{
		{secretFiles, modes(0o600, 0o400), modes(0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o660), false},
		{chainFiles, modes(0o644, 0o400), modes(0o664, 0o646), true},
		{bundleFiles, modes(0o644, 0o400), modes(0o664, 0o646), true},
		{map[string]string{"secret_store_reload_binary_path": "bin/reload"}, modes(0o755, 0o500),
			modes(0o775, 0o757, 0o644), false},
		{map[string]string{"state_directory": "state"}, modes(0o700), modes(0o710, 0o701, 0o750, 0o720), false},
		{map[string]string{"secret_store_managed_directory": "managed"}, modes(0o700, 0o755), modes(0o775, 0o757), false},
	} {
		for setting, name := range group.files {
			t.Run(setting, func(t *testing.T) {
				s := newScene(t)
				for _, mode := range group.bad {
					s.chmod(name, mode)
					s.wants("/"+setting, "permissions")
				}
				for _, mode := range group.good {
					s.chmod(name, mode)
					s.wants("", "")
				}
				s.link(name)
				if group.followed {
					s.wants("", "")
				} else {
					s.wants("/"+setting, "symbolic link")
				}
				s.pipe(name)
				s.wants("/"+setting, "a named pipe")
				must.Do(s, os.Remove(s.path(name)))
				s.wants("/"+setting, "no such file")
				if strings.Contains(name, "/") {
					must.Do(s, os.Mkdir(s.path(name), 0o700))
					s.wants("/"+setting, "a directory")
				} else {
					configtest.Put(t, s.dir, name, 0o600, nil)
					s.wants("/"+setting, "a regular file")
				}
			})
		}
	}
}

// wants reads the configuration and requires one fault, at this setting, whose Found contains
// the text; with no pointer it requires none.
func (s scene) wants(pointer, found string) {
	s.Helper()
	_, faults := s.read(configtest.At)
	if pointer == "" {
		check.That(s, len(faults) == 0, "%v", faults)
		return
	}
	check.That(s, len(faults) == 1 && faults[0].Pointer == pointer && strings.Contains(faults[0].Found, found),
		"wanted %q at %s, got %v", found, pointer, faults)
}

func TestToken(t *testing.T) {
	s := newScene(t)
	for token, good := range map[string]bool{
		"a": true, "a\n": true, "!~": true, strings.Repeat("a", maxToken): true, strings.Repeat("a", maxToken) + "\n": true,
		"": false, "\n": false, "a\n\n": false, "a\r\n": false, "a\nb": false, "\na": false, "a b": false, " a": false,
		"a\t": false, "a\x00": false, "a\x7f": false, "ä": false,
		strings.Repeat("a", maxToken+1): false, strings.Repeat("a", maxSecret+1): false,
	} {
		s.put("secrets/store-token", []byte(token))
		_, faults := s.read(configtest.At)
		check.That(t, (len(faults) == 0) == good && (len(faults) == 0 || faults[0].Pointer == "/secret_store_token_file"),
			"%.20q: %v", token, faults)
	}
}

// TestReloadDigest: the executable is compared with its pin, whatever the pin, and not with
// one that is no digest.
func TestReloadDigest(t *testing.T) {
	s := newScene(t)
	s.put("bin/reload", []byte("#!/bin/sh\nexec false\n"))
	s.wants("/secret_store_reload_binary_path", "29e8eccc")
	s.put("config.json", with(t, map[string]string{"secret_store_reload_binary_sha256": text(strings.Repeat("0", 64))}))
	s.wants("/secret_store_reload_binary_path", "29e8eccc")
	s.put("config.json", with(t, map[string]string{"secret_store_reload_binary_sha256": `"x"`}))
	s.wants("/secret_store_reload_binary_sha256", "x")
}

// TestConfigItself: a configuration that cannot be read is an error, and one that others may
// write to is a fault.
func TestConfigItself(t *testing.T) {
	s := newScene(t)
	s.chmod("config.json", 0o664)
	_, faults := s.read(configtest.At)
	check.That(t, len(faults) == 1 && faults[0].Pointer == "", "writable by the group: %v", faults)
	s.chmod("config.json", 0o644)
	s.link("config.json")
	s.wants("", "")
	for name, spoil := range map[string]func(){
		"no such file": func() { must.Do(s, os.RemoveAll(s.path("config.json"))) },
		"a named pipe": func() { s.pipe("config.json") },
		"a directory": func() {
			must.Do(s, os.RemoveAll(s.path("config.json")))
			must.Do(s, os.Mkdir(s.path("config.json"),
				0o700))
		},
	} {
		spoil()
		config, faults, err := Read(s.path("config.json"), configtest.At)
		check.That(t, err != nil && config == nil && faults == nil && strings.Contains(err.Error(), name),
			"%s: %v, %v, %v", name, config, faults, err)
	}
}

// TestPathsStartAtTheConfiguration: also when the program runs elsewhere, and
// absolute ones stay as they are.
func TestPathsStartAtTheConfiguration(t *testing.T) {
	s := newScene(t)
	t.Chdir(t.TempDir())
	s.wants("", "")
	elsewhere := t.TempDir()
	must.Do(s, os.Rename(s.path("state"), filepath.Join(elsewhere, "state")))
	s.wants("/state_directory", "no such file")
	s.put("config.json", with(t, map[string]string{"state_directory": text(filepath.Join(elsewhere, "state"))}))
	s.wants("", "")
}

// TestFormAndFilesAtOnce: a fault of form does not keep the files from being
// judged, nor one file another.
func TestFormAndFilesAtOnce(t *testing.T) {
	s := newScene(t)
	s.put("config.json", with(t, map[string]string{"tenant_id": `""`, "cloud_ca_file": "1"}))
	s.chmod("pki/api.key", 0o644)
	s.chmod("secrets/store-token", 0o640)
	_, faults := s.read(configtest.At)
	want := []string{"/cloud_ca_file", "/local_api_private_key_file", "/secret_store_token_file", "/tenant_id"}
	got := pointers(faults)
	check.That(t, slices.Equal(got, want), "faults at %q", got)
}

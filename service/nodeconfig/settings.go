package nodeconfig

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/internal/ijson"
)

// decode reads all settings, and compares them with each other.
func (d *decoder) decode() *Config {
	c := &Config{}
	d.take(nodeSettings(c))
	d.take(localSettings(&c.LocalAPI))
	d.take(cloudSettings(&c.Cloud))
	d.distinctKeys(c)

	discovery, export, store := &Discovery{}, &Export{}, &SecretStore{}
	if d.part("dependency_discovery_", discoverySettings(discovery)) {
		c.Discovery = discovery
		d.distinctProbes(discovery.Probes)
	}
	if d.part("otlp_audit_", exportSettings(export)) {
		c.Export = export
	}
	storeOn := d.part("secret_store_", storeSettings(store))
	d.reload(store, storeOn)
	if storeOn {
		c.Store = store
		d.pair("secret_store_client_certificate_file", "secret_store_client_private_key_file")
	}
	d.close()
	return c
}

// part reads the settings of a part that has a switch, and returns whether it
// is on. If it is off none of them may be there: who left one behind may believe
// that the part still works.
func (d *decoder) part(prefix string, settings []setting) bool {
	if d.on(prefix) {
		d.take(settings)
		return true
	}
	d.refuse(settings, "no such setting while "+prefix+"enabled is not true")
	return false
}

func nodeSettings(c *Config) []setting {
	return []setting{
		{"tenant_id", required, textSlot(&c.TenantID, subject)},
		{"node_id", required, textSlot(&c.NodeID, subject)},
		{"state_directory", required, fileSlot(&c.StateDirectory)},
		{"policy_public_keys", required, keyringSlot(&c.PolicyKeys)},
		{"audit_public_keys", required, keyringSlot(&c.AuditKeys)},
	}
}

func localSettings(l *LocalAPI) []setting {
	return []setting{
		{"local_api_address", required, addressSlot(&l.Address)},
		{"local_api_certificate_file", required, fileSlot(&l.Identity.CertificateFile)},
		{"local_api_private_key_file", required, fileSlot(&l.Identity.PrivateKeyFile)},
		{"local_api_client_ca_file", required, fileSlot(&l.Clients.File)},
		{"trust_event_subscriber_spiffe_prefixes", optional, listSlot(bounds{0, 64}, func(d *decoder, v *ijson.Value) {
			prefix := ""
			textSlot(&prefix, spiffePrefix)(d, v)
			l.Subscribers = append(l.Subscribers, SPIFFEPrefix(prefix))
		})},
	}
}

func cloudSettings(c *Cloud) []setting {
	return []setting{
		{"cloud_url", required, textSlot(&c.URL, origin)},
		{"cloud_ca_file", required, fileSlot(&c.Authorities.File)},
		{"cloud_client_certificate_file", required, fileSlot(&c.Identity.CertificateFile)},
		{"cloud_client_private_key_file", required, fileSlot(&c.Identity.PrivateKeyFile)},
		{"cloud_public_key_sha256", required, listSlot(bounds{1, 8}, func(d *decoder, v *ijson.Value) {
			var pin [sha256.Size]byte
			digestSlot(&pin)(d, v)
			c.Pins = append(c.Pins, pin)
		})},
		{"cloud_request_timeout_seconds", required, secondsSlot(&c.RequestTimeout, 2, 60)},
		{"cloud_poll_interval_seconds", required, secondsSlot(&c.PollInterval, 1, 300)},
	}
}

func discoverySettings(s *Discovery) []setting {
	return []setting{
		{"dependency_discovery_probes", required, listSlot(bounds{1, 64}, probeSlot(&s.Probes))},
		{"dependency_discovery_interval_seconds", required, secondsSlot(&s.Interval, 10, 3600)},
		{"dependency_discovery_timeout_seconds", required, secondsSlot(&s.Timeout, 1, 10)},
	}
}

func exportSettings(e *Export) []setting {
	return []setting{
		{"otlp_audit_exporter_id", required, textSlot(&e.ExporterID, identifier)},
		{"otlp_audit_endpoint", required, textSlot(&e.Endpoint, logsEndpoint)},
		{"otlp_audit_trust_bundle_file", required, fileSlot(&e.Authorities.File)},
		{"otlp_audit_client_certificate_file", required, fileSlot(&e.Identity.CertificateFile)},
		{"otlp_audit_client_private_key_file", required, fileSlot(&e.Identity.PrivateKeyFile)},
		{"otlp_audit_batch_size", required, numberSlot(&e.BatchSize, 1, 64)},
		{"otlp_audit_request_timeout_seconds", required, secondsSlot(&e.RequestTimeout, 2, 60)},
		{"otlp_audit_poll_interval_seconds", required, secondsSlot(&e.PollInterval, 1, 300)},
	}
}

func storeSettings(s *SecretStore) []setting {
	return []setting{
		{"secret_store_adapter_reference", required, textSlot(&s.AdapterReference, reference)},
		{"secret_store_profile_id", required, textSlot(&s.ProfileID, identifier)},
		{"secret_store_address", required, textSlot(&s.Address, origin)},
		{"secret_store_namespace", optional, textSlot(&s.Namespace, namespace)},
		{"secret_store_token_file", required, fileSlot(&s.TokenFile)},
		{"secret_store_ca_certificate_file", optional, fileSlot(&s.Authorities.File)},
		{"secret_store_client_certificate_file", optional, fileSlot(&s.Identity.CertificateFile)},
		{"secret_store_client_private_key_file", optional, fileSlot(&s.Identity.PrivateKeyFile)},
		{"secret_store_kv_mount", required, textSlot(&s.Mount, mount)},
		{"secret_store_kv_base_path", required, textSlot(&s.BasePath, basePath)},
		{"secret_store_managed_directory", required, fileSlot(&s.ManagedDirectory)},
		{"secret_store_bootstrap_certificate_file", required, fileSlot(&s.Bootstrap.CertificateFile)},
		{"secret_store_bootstrap_private_key_file", required, fileSlot(&s.Bootstrap.PrivateKeyFile)},
		{"secret_store_health_url", required, textSlot(&s.HealthURL, healthURL)},
		{"secret_store_request_timeout_seconds", required, secondsSlot(&s.RequestTimeout, 2, 60)},
		{"secret_store_rollback_window_seconds", required, secondsSlot(&s.RollbackWindow, 60, 86400)},
	}
}

// reloadBinary is the setting on which all settings of the reload depend.
const reloadBinary = "secret_store_reload_binary_path"

func reloadSettings(r *Reload) []setting {
	return []setting{
		{"secret_store_reload_binary_sha256", required, digestSlot(&r.SHA256)},
		{"secret_store_reload_timeout_seconds", required, secondsSlot(&r.Timeout, 2, 60)},
		{"secret_store_reload_arguments", optional, argumentsSlot(&r.Arguments)},
	}
}

// argumentsSlot reads up to 32 arguments, which may be equal to each other.
func argumentsSlot(dst *[]string) slot {
	return func(d *decoder, v *ijson.Value) {
		if !d.is(v, ijson.Array) || !d.within(v, bounds{0, 32}, len(v.Elements()), "element") {
			return
		}
		*dst = make([]string, len(v.Elements()))
		for i, e := range v.Elements() {
			textSlot(&(*dst)[i], argument)(d, e)
		}
	}
}

// reload reads the settings of the reload, which stand there with the path of
// its binary only.
func (d *decoder) reload(s *SecretStore, storeOn bool) {
	r := &Reload{}
	path, rest := []setting{{reloadBinary, optional, fileSlot(&r.Binary)}}, reloadSettings(r)
	switch {
	case !storeOn:
		d.refuse(slices.Concat(path, rest), "no such setting while secret_store_enabled is not true")
	case !d.has(reloadBinary):
		d.take(path)
		d.refuse(rest, "no such setting without "+reloadBinary)
	default:
		d.take(slices.Concat(path, rest))
		s.Reload = r
	}
}

// pair records the one of two settings that is absent while the other is there.
func (d *decoder) pair(a, b string) {
	for _, names := range [][2]string{{a, b}, {b, a}} {
		if d.has(names[0]) && !d.has(names[1]) {
			d.absent(names[1], "this setting, as "+names[0]+" is there")
		}
	}
}

// distinctKeys records every key that is there a second time: one key under
// two ids or in two roles would let one holder act for another.
func (d *decoder) distinctKeys(c *Config) {
	seen := map[string]string{}
	for _, ring := range []struct {
		name string
		keys map[string]ed25519.PublicKey
	}{{"policy_public_keys", c.PolicyKeys}, {"audit_public_keys", c.AuditKeys}} {
		for _, id := range slices.Sorted(maps.Keys(ring.keys)) {
			key := hex.EncodeToString(ring.keys[id])
			place := "/" + ring.name + "/" + escapePointer(id)
			if first, again := seen[key]; again {
				d.fault(place, "a key that no other setting has", "that of "+quoteText(first))
			} else {
				seen[key] = place
			}
		}
	}
}

// distinctProbes records every service that is probed twice.
func (d *decoder) distinctProbes(probes []Probe) {
	seen := map[string]bool{}
	for _, p := range probes {
		if p.Service != "" && seen[p.Service] {
			d.fault("/dependency_discovery_probes", "each service once", quoteText(p.Service)+" again")
		}
		seen[p.Service] = true
	}
}

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// interfaceRows are the names of everything that the service promises to the
// outside, by section: members, states, signals, settings, codes and rules.
var interfaceRows = map[string]string{
	"1": "Node health|Node status in console|Approval quorum|Signed policy sync|Integration health|Certificate expiry|Rotation progress|" +
		"Issuance paused|Resume attempts|Revocation publication|Audit integrity|Audit witness quorum|OTLP audit export|Trust-event cursor|" +
		"two places|quorum and decision|hash chain|witnessing|integrations|kill switch|no paging",
	"2.1": "status|node_id|policy_version|policy_sha256|policy_last_synced_at|audit_head|audit_sequence|integrations|dependency_discovery",
	"2.2": "kind|installed|enabled|health|error_code|exporter_id|endpoint_host|cursor|source_head|backlog|console record",
	"2.3": "chain and sequence|complete node-signed events|further fields",
	"2.4": "one JSON bundle for one transaction|file name|content|layout",
	"2.5": "audit_keys|protected_signer_keys|registries|nodes|minimum_audit_witnesses|keys inside a bundle|collected by the customer",
	"2.6": "verified|tenant_id|transaction_id|manifest_sha256|checkpoint_sequence|audit_witness_node_ids|signer_registry_version|approver_node_ids|certificate_serial|status|five-field variant",
	"2.7": "otlp_audit_enabled|otlp_audit_exporter_id|otlp_audit_endpoint|otlp_audit_trust_bundle_file|otlp_audit_client_certificate_file|otlp_audit_client_private_key_file|" +
		"otlp_audit_batch_size|otlp_audit_request_timeout_seconds|otlp_audit_poll_interval_seconds|leftover settings|Helm values",
	"2.8": "<base>/generations/slot-NNNNNN|<base>/pointer|consumer rule",
	"2.9": "secret_store_enabled|secret_store_adapter_reference|secret_store_profile_id|secret_store_address|secret_store_namespace|secret_store_token_file|" +
		"secret_store_ca_certificate_file|secret_store_client_certificate_file|secret_store_client_private_key_file|secret_store_kv_mount|secret_store_kv_base_path|" +
		"secret_store_managed_directory|secret_store_bootstrap_certificate_file|secret_store_bootstrap_private_key_file|secret_store_request_timeout_seconds|" +
		"secret_store_rollback_window_seconds|secret_store_reload_binary_path|secret_store_reload_binary_sha256|secret_store_reload_arguments|secret_store_reload_timeout_seconds|reload settings",
	"3.1": "ok|degraded|offline|disabled|the exporter is failing|dependency discovery",
	"3.2": "disabled|pending_node|healthy|degraded|certificate manager|first assignment of the secret store|store cannot be operated|disable or unassign|other transitions",
	"3.3": "trust path healthy|Degraded · n/m nodes healthy|Degraded|No Mesh Nodes connected|issuance paused",
	"3.4": "Verifying audit chain…|No audit events yet|Chain verified from genesis|Recent events verified|Audit chain could not be verified|Checkpoint|Distinct signatures|Customer nodes",
	"3.5": "1|2|3|4|5a|5b|crash|promotion mode|transaction statuses",
	"4.1": "/healthz|/metrics|Local trust-event endpoint|svc_node_requests_total|svc_node_policy_decisions_total|svc_node_certificates_issued_total|svc_node_outbox_queued_total|" +
		"svc_node_rotations_promoted_total|svc_node_policy_sync_total|svc_node_registration_sync_total|svc_node_trust_event_batches_total|svc_node_trust_events_delivered_total|" +
		"svc_node_dependency_probes_total|svc_node_dependency_observations_total|svc_node_otlp_audit_exports_total|svc_node_otlp_audit_cursor|svc_node_otlp_audit_source_head|" +
		"svc_node_otlp_audit_backlog|Policy sync failing|OTLP backlog growing|OTLP cursor stalled",
	"4.2": "/api/v1/transactions/<transaction-id>/evidence|/v1/managed/rotate|Export portable proof",
	"4.3": "svc-edge [flags] status|svc-edge [flags] integrations|svc-edge [flags] -watch events|svc-verify --evidence --trust|-ca|-cert|-key|-url|-tenant|-node-spki|-node-spki-sha256|" +
		"-event-cursor-file|-event-topics|-event-wait|not in a registry",
	"5": "node CLI|trust-event endpoint|secret store|OTLP export|offline verification|cloud API and console|/healthz and /metrics",
	"6.1": "capability.observed|capability.expired|service.claimed|identity.rotated|trust_bundle.updated|policy.version.available|certificate.staged|certificate.promoted|" +
		"incident.issuance_paused|1|2|3|4|5|6",
	"6.2": "issuance.paused|break_glass.resume_requested|break_glass.resume_expired|issuance.resumed|incident.issuance_paused",
	"6.3": "complete journal|at least once|x-svc-edge-audit-batch|complete event as body|collector unreachable",
	"7": "HTTP 410|audit_customer_witness_pending|Verifier non-zero exit|cm_connectivity_not_verified|otlp_audit_transport_failed|otlp_audit_collector_rejected|otlp_audit_partial_success|" +
		"otlp_audit_response_invalid|otlp_audit_client_identity_expired|otlp_audit_cursor_commit_failed|secret_store_not_configured|adapter_reference_invalid|profile_not_mapped|" +
		"store_awaiting_desired_state|store_unavailable|store_bootstrap_failed|store_state_invalid|store_pointer_invalid|store_recovery_pending|secret_store_integration_unavailable|" +
		"secret_store_integration_binding_mismatch|mismatch|invalid configuration|body of error responses|status codes",
	"8": "Certificate expiry exposure window|otlp_audit_batch_size|otlp_audit_request_timeout_seconds|otlp_audit_poll_interval_seconds|secret_store_request_timeout_seconds|" +
		"secret_store_rollback_window_seconds|secret_store_reload_timeout_seconds|secret_store_reload_arguments|secret_store_kv_base_path|minimum_audit_witnesses|Generation writes|" +
		"Audit key generations|Rate limits|Defaults of settings",
	"9": "/api/v1|/v1|svc.store-kv-generation.v1|svc.store-kv-pointer.v1|policy_version|policy version 3|signer_registry_version|compatibility",
}

// row is one promise of testdata/interface.txt: the code that keeps it, and the
// tests that fail without it.
type row struct{ section, label, code, shown string }

// readInterface reads the rows of testdata/interface.txt, one for each name.
func readInterface(t *testing.T) []row {
	t.Helper()
	b := must.Get(os.ReadFile(filepath.Join("testdata", "interface.txt")))(t)
	var rows []row
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, " | ")
		if len(cells) != 4 {
			t.Errorf("expected 4 cells, found %d: %s", len(cells), line)
			continue
		}
		for label := range strings.SplitSeq(cells[1], ", ") {
			rows = append(rows, row{cells[0], label, cells[2], cells[3]})
		}
	}
	return rows
}

// TestInterfaceIsShown: each promise has a row with a test, and no row is there
// twice or of nothing.
func TestInterfaceIsShown(t *testing.T) {
	rows := readInterface(t)
	found := map[string]bool{}
	for _, r := range rows {
		id := r.section + "|" + r.label
		check.That(t, !found[id], "section %s has the row %q twice", r.section, r.label)
		found[id] = true
		check.That(t, slices.Contains(strings.Split(interfaceRows[r.section], "|"), r.label),
			"section %s promises no %q", r.section, r.label)
		check.That(t, regexp.MustCompile(`_test\.go:(Test|Fuzz)`).MatchString(r.shown),
			"section %s: no test shows the row %q", r.section, r.label)
	}
	for section, labels := range interfaceRows {
		for label := range strings.SplitSeq(labels, "|") {
			check.That(t, found[section+"|"+label], "section %s: there is no row %q", section, label)
		}
	}
}

// TestInterfaceNamesExist: every file, and every function, method and type of a
// file, that a row names exists.
func TestInterfaceNamesExist(t *testing.T) {
	declared := map[string]map[string]bool{} // by file
	count := 0
	for _, r := range readInterface(t) {
		for place := range strings.SplitSeq(r.code+", "+r.shown, ", ") {
			path, name, named := strings.Cut(place, ":")
			file := filepath.Join("..", "..", "..", filepath.FromSlash(path))
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
				continue
			}
			if !named {
				continue
			}
			count++
			if declared[file] == nil {
				declared[file] = declarations(t, file)
			}
			check.That(t, declared[file][name], "%s declares no %s", path, name)
		}
	}
	check.That(t, count >= 300, "the rows name only %d functions", count)
	t.Logf("%d names in %d files", count, len(slices.Collect(maps.Keys(declared))))
}

// declarations are the names that a file declares at the top level, methods
// among them.
func declarations(t *testing.T, file string) map[string]bool {
	t.Helper()
	parsed := must.Get(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t)
	names := map[string]bool{}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names[d.Name.Name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names[name.Name] = true
					}
				}
			}
		}
	}
	return names
}

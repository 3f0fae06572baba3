package schemas_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/schemas/validate"
)

// programs are those that print a document, if not svc-verify does.
var programs = map[string]string{"node-check": "svc-harness"}

// versions are those of the documents that are past the first.
var versions = map[string]string{"crosscheck": "v2", "findings": "v2", "gaps": "v2", "show": "v2"}

// TestNearMissesOfOutputs changes one value of a document of a program; the
// violation must be at that value.
func TestNearMissesOfOutputs(t *testing.T) {
	const digest = `"` + "abababababababababababababababababababababababababababababababab" + `"`
	const trusted = `,"trust_sha256":` + digest
	const state = `,"stretches":[{"first_sequence":1,"last_sequence":2,"stores":["present","absent"]}]`
	const one = `{"name":"a","rule":"single","parts":1,"paths":["a"],"state":"faithful","events":1,"shared":1,"lossy":0,"altered":0,"differs":0,"named":0,"lacking":0}`
	const why = `{"code":"cause.copy-order","message":"a","logs":["node/n"],"stores":[],"sources":[],"key_ids":[],"sequence":1,"for":["a"],"against":[],"candidates":[],"findings":[0],"next":"b"}`
	const gap = `{"tenant_id":"","log_id":"node/n","first_sequence":1,"last_sequence":2,"count":2,"cut_batches":[],"anchors":[],"holders":[],"unreadable":[],"hypotheses":[]}`
	const at = `"2026-03-02T09:00:00.000Z"`
	const check = `{"id":"a.b","spec":"8.1","title":"a","status":"passed","examined":1,"held":1,"findings":[]}`
	const policy = `{"minimum_audit_witnesses":1,"minimum_approvals":1,"legacy_before":"","tenant_id":"","transaction_id":"","certificate_sha256":"","at":` + at + `,"max_age_seconds":1,"dns_names":["a"],"in_force_at":` + at + `}`
	const asOf = `{"sequence":1,"created_at":` + at + `,"earliest_witnessed_at":` + at + `,"quorum_witnessed_at":` + at + `}`
	const side = `{"bundle_sha256":` + digest + `,"tenant_id":"t","transaction_id":"x","checkpoint_sequence":1,"legacy_checkpoint":false,"value":` + digest + `,"rests_on":[{"kind":"signer-receipt","role":"signer","key_id":"s"}]}`
	const row = `{"tenant_id":"t","transaction_id":"x","status":"issued","verdict":"verified","sequence":3,"occurred_at":"2026-03-02T09:00:00.000Z","manifest_sha256":` + digest + `,"complete_up_to":8,"serial":"a1"`
	const problem = `{"code":"chain.gap","class":"rejected","message":"a","subject":"","file":"","entry":""}`
	const finding = `{"code":"certificate.serial-reused","what":"certificate","sides":[` + side + `,` + side + `],"signed_both":[{"role":"signer","key_id":"s"}],"witnessed_both":[],"sentences":["a"]}`
	const entry = `,"name":"a","file":"a","entry":"","line":0,"size":1,"sha256":` + digest + `,"verdict":"rejected","code":"a","path":"","reason":"b","tenant_id":"","transaction_id":"","manifest_sha256":"","certificate_serial":"","status":"","checkpoint_sequence":0,"checkpoint_head":"","checkpoint_created_at":"","witnesses":0,"same_as":"","contradicted":false,"unexpected":false` + trusted
	docs := map[string]string{
		"verify":               trusted + `,"verdict":"rejected","genuine":false,"accepted":false,"decides":{"name":"a","reason":"b"},"policy":` + policy + `,"not_examined":[],"entries":{"seen":1,"verified":0,"rejected":1,"not_a_bundle":0,"unreadable":0,"inconclusive":0,"contradicted":0,"doubled":0,"unexpected":0,"left_out":0},"compared":{"bundles":0,"sequences":0,"shared_sequences":0,"pairs":0},"findings":[{"code":"object.missing","path":"","expected":"2","found":"1","message":"a"}],"not_verified":[{"schema":"svc-verify/verify-record/v1"` + entry + `}],"more_not_verified":0,"contradictions":[{"first":"a","second":"b","contradiction":` + finding + `}],"more_contradictions":0,"limitations":[{"code":"a","sentence":"b"}]`,
		"verify-record":        entry,
		"verify-contradiction": `,"first":"a","second":"b","contradiction":` + finding,
		"report":               `,"verdict":"inconclusive","bundle_sha256":` + digest + trusted + `,"policy":` + policy + `,"status_as_of":` + asOf + `,"checks":[` + strings.Repeat(check+",", 21) + check + `],"limitations":[{"code":"a","sentence":"b"}]`,
		"progress":             `,"doing":"a","done":0,"of":8,"events":0,"events_per_second":0,"seconds_left":0`,
		"node-check":           `,"verdict":"rejected","faults":[{"pointer":"/tenant_id","expected":"a string","found":"nothing"}]`,
		"receive":              `,"requests":0,"refused":0,"events":0,"skipped":0,"rejected":0`,
		"ingest-explained":     `,"files":[{"path":"a","octets":1,"events":1,"documents":0,"other":0,"not_read":0,"unlisted":0,"containers":[{"path":"","formats":[{"format":"journal","why":"b"}],"events":1,"documents":0,"other":0,"not_read":0,"alike":0,"shown":[{"what":"event","offset":0,"length":1,"record":0,"begins":"{","format":"journal","fidelity":"exact","batches":[{"id":"c","where":"record"}],"event":{"tenant_id":"t","log_id":"node/n","sequence":1,"type":"x","occurred_at":"","key_id":"k"}}]}],"levels":[{"path":"","octets":1,"ranges":[{"offset":0,"length":1,"answer":"evidence","detail":"events"}]}],"more_levels":0}]`,
		"batches":              `,"batches":[],"totals":{"distinct":0,"redelivered":0,"conflicting":0,"incomplete":0,"absent":0}`,
		"events":               `,"events":[{"tenant_id":"t","log_id":"node/n","sequence":1,"occurred_at":"","type":"x","key_id":"n","hash":` + digest + `,"copies":1,"deliveries":1}],"more":0`,
		"findings":             trusted + `,"verdict":"","causes":[` + why + `],"findings":[]`,
		"gaps":                 `,"gaps":[` + gap + `],"missing":2,"verdict":"verified"`,
		"show":                 trusted + `,"verdict":"rejected","signatures_verified":false,"events":[],"more":0`,
		"contradiction":        trusted + `,"verdict":"verified","file_sha256":` + digest + `,"legacy_before":"","code":"certificate.serial-reused","contradiction":{"code":"certificate.serial-reused","what":"certificate","sides":[` + side + `,` + side + `],"signed_both":[{"role":"signer","key_id":"s"}],"witnessed_both":[],"sentences":["a"]},"bundles":[],"findings":[],"limitations":[{"code":"a","sentence":"b"}]`,
		"status":               trusted + `,"question":{},"left_out":[],"logs":[{"tenant_id":"t","log_id":"tenant/t","verdict":"verified","last_sequence":9,"checkpoint":{"sequence":8,"hash":` + digest + `,"created_at":"2026-03-02T09:00:00.000Z","witnessed":true,"source":"a"}}],"limitations":[],"rows":[` + row + `}],"counts":{"issued":1,"revoked":0,"not_issued":0,"unknown":0},"verdict":"verified"`,
		"status-row":           `,` + row[1:],
		"crosscheck":           trusted + `,"verdict":"verified","left_out":[],"other_stores":false,"causes":[],"compared":1,"bundles":[],"statements":[],"journals":[],"pauses":[],"stores":[` + one + `,` + one + `],"presence":[{"tenant_id":"t","log_id":"node/n","unsound":0` + state + `,"omitted":0}],"findings":[]`,
		"check-run":            `,"not_examined":["a"],"verdict":"rejected"` + trusted + `,"problems":[` + problem + `],"limitations":[{"code":"a","sentence":"b"}]`,
		"check-item":           `,"kind":"log","name":"a","file":"","verdict":"rejected","problems":[` + problem + `],"about":[{"what":"a","value":""}]`,
	}
	docs["inspect"] = `,"unverified":true,"bundle_sha256":` + digest + `,"form":"malformed","faults":[{"code":"a.b","path":"","expected":"b","found":"c"}],"signed":[{"path":"/a","protocol":"p","key_id":"k","says":[{"member":"m","value":""}]}]`
	docs["selftest"] = `,"verdict":"rejected","cases":1,"families":[{"name":"a","cases":1,"agreed":0}],"disagreements":[{"name":"a/b","reason":"c"}]`
	docs["trust-show"] = trusted + `,"fingerprints":[{"role":"registry","id":"1","sha256":` + digest + `}],"minimum_audit_witnesses":0,"minimum_approvals":1,"nodes":[{"node":"n","keys":["n/2"]}],"threats":[{"name":"in-secret","needs":"a","nodes":-1,"combinations":"0","shows":""}],"powers":[{"holder":"a","can":"b","cannot":"c"}]`
	docs["trust-lint"] = `,"notices":[{"code":"trust.a-b","severity":"warning","path":"/a","sentence":"b"}]`
	docs["affected"] = affectedCertificates
	docs["custody"], docs["changes"] = custodyJournal, caseChanges
	docs["plan"] = evidencePlan
	docs["part-description"] = partDescription
	docs["trust-diff"] = trustDiff
	docs["archive-seal"] = archiveSeal
	docs["archive-bag"] = archiveBag
	docs["archive-export"] = archiveExport
	docs["trust-history"] = trustHistory
	docs["archive-record"] = archiveRecord
	docs["archive-check"] = archiveCheck
	docs["archive-accepted"] = archiveAccepted
	docs["archive-diff"] = archiveDiff
	docs["archive-log"] = archiveLog
	docs["archive-status"] = archiveStatus
	docs["archive-chain"] = archiveChain
	tests := []struct {
		schema, pointer string
		bad             []any
	}{
		{"archive-accepted", "/verdict", []any{"", "unreadable", "accepted"}},
		{"archive-accepted", "/ledger/standing", []any{"", "adopted"}},
		{"archive-accepted", "/change/path", []any{"", "/a"}},
		{"archive-diff", "/objects/0/later/0/run", []any{1, "2"}},
		{"archive-diff", "/objects/0/before/wrong", []any{"lost", "intact"}},
		{"archive-diff", "/objects/0/from", []any{"../a%", "/"}},
		{"archive-diff", "/from/number", []any{0}},
		{"archive-log", "/ledger/newest_run_sha256", []any{"ab", 1}},
		{"archive-log", "/ledger/findings", []any{"", repeat(5, map[string]any{"code": "a.b", "message": "c"})}},
		{"archive-log", "/runs/0/record", []any{"", map[string]any{}}},
		{"archive-log", "/runs/0/changes/listed", []any{"", repeat(21, map[string]any{})}},
		{"archive-log", "/runs/0/changes/classes/accepted", []any{0, "1"}},
		{"archive-status", "/verdict", []any{"", "not-a-bundle"}},
		{"archive-status", "/statuses/issued", []any{-1, "1"}},
		{"archive-status", "/logs/0/log/complete_by_own/sequence", []any{-1, "1"}},
		{"archive-record", "/proofs/0/status", []any{"", "superseded"}},
		{"archive-record", "/proofs/0/as_of", []any{"", "now"}},
		{"archive-status", "/max_age_seconds", []any{0, "1"}},
		{"archive-status", "/read/objects", []any{-1, "1"}},
		{"archive-status", "/wrong/0/wrong", []any{"stale", "lost"}},
		{"archive-bag", "/verdict", []any{"", "not-a-bundle", "Verified"}},
		{"archive-bag", "/algorithms/0", []any{"crc32", ""}},
		{"archive-bag", "/evidence", []any{"", map[string]any{}}},
		{"archive-bag", "/evidence/not_verified/0/verdict", []any{"verified"}},
		{"archive-bag", "/findings/0/code", []any{"", "Bag.altered"}},
		{"archive-bag", "/payload/intact", []any{-1, "1"}},
		{"archive-export", "/verdict", []any{"", "Verified"}},
		{"archive-export", "/archive", []any{"ab", strings.Repeat("AB", 32)}},
		{"archive-export", "/run", []any{0, "1"}},
		{"archive-export", "/findings/0/path", []any{7, nil}},
		{"archive-record", "/class", []any{"", "lost", "Intact"}},
		{"archive-chain", "/verdict", []any{"", "unreadable"}},
		{"archive-chain", "/steps/0/kind", []any{"", "seal"}},
		{"archive-chain", "/steps/0/time", []any{"2026", 1}},
		{"archive-chain", "/findings/0/step", []any{-1, 257}},
		{"archive-record", "/sha256", []any{"ab", strings.Repeat("AB", 32)}},
		{"archive-record", "/path", []any{""}},
		{"archive-record", "/changes", []any{repeat(9, "a"), ""}},
		{"archive-check", "/verdict", []any{"", "not-a-bundle", "Verified"}},
		{"archive-check", "/counts/classes/intact", []any{-1, "1"}},
		{"archive-check", "/ledger/standing", []any{"", "mine"}},
		{"archive-check", "/objects/0/verdict", []any{"unreadable"}},
		{"archive-check", "/run", []any{"", map[string]any{"number": 1}}},
		{"archive-seal", "/verdict", []any{"", "altered", "Verified"}},
		{"archive-seal", "/seal_trust_sha256", []any{"ab", strings.Repeat("AB", 32)}},
		{"archive-seal", "/seal/root", []any{oneDigest, ""}},
		{"archive-seal", "/seal/hash", []any{"sha-256", ""}},
		{"archive-seal", "/seal/trust_sha512", []any{[]any{}}},
		{"archive-seal", "/object/size", []any{-1, "1"}},
		{"archive-seal", "/examined/signatures", []any{1, -1}},
		{"archive-seal", "/findings/0/in", []any{"", "folder"}},
		{"plan", "/shares", []any{0, 100001, "2"}},
		{"plan", "/batch_attributes/0", []any{"", 1}},
		{"plan", "/sources/0/names", []any{[]any{}, "x"}},
		{"plan", "/sources/0/names/0/given", []any{""}},
		{"plan", "/sources/0/ranges", []any{[]any{}}},
		{"plan", "/sources/0/ranges/0/share", []any{-1, 100000}},
		{"plan", "/sources/0/ranges/0/sha256", []any{"ab", strings.Repeat("AB", 32)}},
		{"plan", "/sources/0/size", []any{-1, "9"}},
		{"plan", "/sources/0/volumes", []any{1}},
		{"plan", "/unread/0/code", []any{""}},
		{"part-description", "/mac", []any{"", "checked", true}},
		{"part-description", "/form", []any{"svc-verify/part/v2"}},
		{"part-description", "/sources/0/size", []any{-1, "9"}},
		{"part-description", "/logs/0/copies", []any{0}},
		{"trust-diff", "/keys/0/change", []any{"", "renamed"}},
		{"trust-diff", "/keys/0/after/role", []any{"", "witness"}},
		{"trust-diff", "/coalitions/0/effect", []any{"", "better"}},
		{"trust-diff", "/coalitions/0/new_sets", []any{"", "-1", 1}},
		{"trust-diff", "/replay/verdict", []any{"", "stale"}},
		{"trust-diff", "/replay/changes/0/effect", []any{"", "same"}},
		{"trust-diff", "/replay/changes/0/kind", []any{"", "other"}},
		{"trust-diff", "/replay/codes/0/objects", []any{0, "1"}},
		{"custody", "/faults/0/what", []any{"", "lost"}},
		{"custody", "/entries/0/note/explained", []any{false, "yes"}},
		{"custody", "/entries/0/note/tags", []any{[]any{}, repeat(17, "a")}},
		{"custody", "/about/kind", []any{"", "finding"}},
		{"changes", "/same_trust", []any{"", 1}},
		{"changes", "/heads/changed/0/before/missing", []any{-1, "1"}},
		{"changes", "/since/number", []any{0}},
		{"inspect", "/unverified", []any{false}},
		{"inspect", "/form", []any{"", "verified"}},
		{"inspect", "/signed/0/says", []any{"", repeat(33, map[string]any{"member": "a", "value": "b"})}},
		{"selftest", "/cases", []any{-1, "1"}},
		{"selftest", "/disagreements/0/reason", []any{"", 1}},
		{"trust-show", "/nodes/0/keys", []any{[]any{}, "n"}},
		{"trust-show", "/threats/0/nodes", []any{-2, "1"}},
		{"trust-show", "/threats/0/combinations", []any{"", "01", 1}},
		{"trust-show", "/fingerprints/0/role", []any{"", "witness"}},
		{"trust-lint", "/notices", []any{"", map[string]any{}}},
		{"trust-lint", "/notices/0/severity", []any{"", "high"}},
		{"trust-lint", "/notices/0/code", []any{"", "trust", "Trust.a"}},
		{"trust-history", "/verdict", []any{"", "unreadable"}},
		{"trust-history", "/versions/0/number", []any{0, 4097}},
		{"trust-history", "/versions/0/in_force_until", []any{"2026"}},
		{"trust-history", "/keys/0/role", []any{"", "seal"}},
		{"trust-history", "/findings/0/code", []any{"", "History.Cut"}},
		{"trust-diff", "/sentences", []any{[]any{}}},
		{"report", "/policy/at", []any{"now", "2026-03-02", "2026-03-02T09:00:00Z", 0}},
		{"report", "/policy/max_age_seconds", []any{-1, 3153600001, "1"}},
		{"report", "/status_as_of/sequence", []any{0, "1"}},
		{"report", "/status_as_of/quorum_witnessed_at", []any{"", "2026-03-02T09:00:00Z"}},
		{"report", "/status_as_of", []any{map[string]any{"sequence": 1, "created_at": "2026-03-02T09:00:00.000Z", "earliest_witnessed_at": "2026-03-02T09:00:00.000Z"}}},
		{"report", "/checks", []any{repeat(20, map[string]any{}), repeat(26, map[string]any{})}},
		{"verify", "/verdict", []any{"", "not-a-bundle", "Verified"}},
		{"verify", "/entries/seen", []any{-1, "1"}},
		{"verify", "/genuine", []any{"", 1}},
		{"verify", "/accepted", []any{"yes"}},
		{"verify", "/decides/reason", []any{""}},
		{"verify", "/policy/in_force_at", []any{"now"}},
		{"verify", "/not_verified/0/verdict", []any{"", "skipped"}},
		{"verify", "/limitations", []any{[]any{}}},
		{"verify-record", "/sha256", []any{"ab", strings.Repeat("AB", 32)}},
		{"verify-record", "/status", []any{"unknown"}},
		{"verify-record", "/contradicted", []any{"", 1}},
		{"verify-contradiction", "/first", []any{""}},
		{"verify-contradiction", "/contradiction/sides", []any{[]any{}}},
		{"progress", "/done", []any{-1, "0", 1.5}},
		{"node-check", "/verdict", []any{"", "Rejected", "verified"}},
		{"node-check", "/faults", []any{[]any{}, "", repeat(257, map[string]any{"pointer": "", "expected": "a", "found": "b"})}},
		{"node-check", "/faults/0/found", []any{"", "\x1b[2J", "\u202e"}},
		{"check-run", "/verdict", []any{"", "unreadable", "Verified"}},
		{"check-run", "/problems/0/class", []any{"", "verified"}},
		{"check-run", "/limitations/0/sentence", []any{""}},
		{"check-item", "/kind", []any{"", "file"}},
		{"check-item", "/name", []any{""}},
		{"check-item", "/problems/0/message", []any{"", 1}},
		{"receive", "/events", []any{-1, "0"}},
		{"ingest-explained", "/files/0/events", []any{-1, "1"}},
		{"ingest-explained", "/files/0/containers", []any{repeat(65, map[string]any{})}},
		{"ingest-explained", "/files/0/levels/0/ranges/0/answer", []any{"", "maybe"}},
		{"ingest-explained", "/files/0/containers/0/shown/0/what", []any{"", "note"}},
		{"ingest-explained", "/files/0/containers/0/shown/0/fidelity", []any{"", "perfect"}},
		{"ingest-explained", "/files/0/containers/0/shown/0/batches/0/where", []any{"", "body"}},
		{"ingest-explained", "/files/0/containers/0/shown/0/event/sequence", []any{0}},
		{"batches", "/totals/absent", []any{-1}},
		{"events", "/events/0/sequence", []any{0}},
		{"events", "/events/0/hash", []any{"", strings.Repeat("AB", 32)}},
		{"findings", "/trust_sha256", []any{"ab", strings.Repeat("ab", 33)}},
		{"contradiction", "/contradiction/code", []any{"", "chain.fork"}},
		{"contradiction", "/contradiction/sides", []any{[]any{}}},
		{"contradiction", "/contradiction/sides/0/value", []any{"", "held"}},
		{"contradiction", "/contradiction/sides/0/rests_on/0/kind", []any{"", "event"}},
		{"contradiction", "/contradiction/signed_both/0/role", []any{"", "issuer"}},
		{"contradiction", "/legacy_before", []any{"2026", 1}},
		{"gaps", "/gaps/0/count", []any{0}},
		{"gaps", "/gaps/0/unreadable", []any{repeat(17, map[string]any{"source": "a", "offset": 0, "length": 1})}},
		{"show", "/signatures_verified", []any{true}},
		{"crosscheck", "/verdict", []any{"", "Verified"}},
		{"crosscheck", "/presence/0/stretches/0/stores/1", []any{"", "lost"}},
		{"crosscheck", "/stores", []any{repeat(65, map[string]any{"name": "a", "rule": "single", "parts": 1, "paths": []any{}, "state": "lossy", "events": 0, "shared": 0, "lossy": 0, "altered": 0, "differs": 0, "named": 0, "lacking": 0})}},
		{"crosscheck", "/stores/0/rule", []any{"", "folder"}},
		{"crosscheck", "/stores/0/state", []any{"", "broken"}},
		{"findings", "/causes/0/code", []any{"", "event.key-unknown"}},
		{"findings", "/causes/0/findings", []any{[]any{}, "0"}},
		{"findings", "/verdict", []any{"Verified", "good"}},
		{"status", "/verdict", []any{"", "issued"}},
		{"status", "/counts/issued", []any{-1, "1"}},
		{"status", "/logs/0/checkpoint/sequence", []any{0}},
		{"status", "/logs/0/last_sequence", []any{-1}},
		{"status", "/rows/0/status", []any{"", "Issued", "not_issued"}},
		{"status", "/rows/0/serial", []any{"", "0a", "A1", strings.Repeat("f", 41)}},
		{"affected", "/ranges/0/first_sequence", []any{-1, "1"}},
		{"affected", "/export_proofs/0", []any{"x"}},
		{"affected", "/ranges/0/to_end", []any{0, "true"}},
		{"affected", "/after/sequence", []any{0}},
		{"affected", "/counts/unknown", []any{-1}},
		{"affected", "/certificates/0/without_quorum", []any{"", true, "lacks"}},
		{"affected", "/certificates/0/status", []any{"", "not_issued", "forged"}},
		{"affected", "/certificates/0/certificate_serial", []any{"", "0a", "unknown"}},
		{"affected", "/certificates/0/required_approvals", []any{0}},
		{"affected", "/certificates/0/not_after", []any{"", "unknown"}},
		{"status-row", "/status", []any{"", "valid"}},
		{"status-row", "/sequence", []any{0, "3"}},
		{"status-row", "/complete_up_to", []any{-1}},
		{"status-row", "/manifest_sha256", []any{"", "ab"}},
	}
	for _, tt := range tests {
		t.Run(tt.schema+tt.pointer, func(t *testing.T) {
			doc := []byte(`{"schema":"` + cmp.Or(programs[tt.schema], "svc-verify") + `/` + tt.schema + `/` + cmp.Or(versions[tt.schema], "v1") + `"` + docs[tt.schema] + `}`)
			conforms(t, example{tt.schema, doc})
			root := decode(t, doc)
			for _, value := range tt.bad {
				set(t, root, tt.pointer, value)
				if v := violations(t, tt.schema, root); !slices.ContainsFunc(v,
					func(v validate.Violation) bool { return v.Pointer == tt.pointer }) {
					t.Errorf("%.60v: the violations are %v", value, v)
				}
			}
		})
	}
}

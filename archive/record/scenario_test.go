package record_test

import (
	"testing"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	tsa "github.com/svc-edge/svc-verify/archive/timestamp/tsatest"
	"github.com/svc-edge/svc-verify/outcome"
)

// step is one token of a scenario.
type step struct {
	by         stamper
	at         int
	hash       timestamp.Hash
	revocation []timestamp.Evidence
}

// scenario is a record that was made with whatever times, and its judgement.
type scenario struct {
	name  string
	steps []step
	at    int
	last  []timestamp.Evidence
	want  string // findings
	class outcome.Class
}

// record makes the record of a scenario; nil if it has no token.
func (s scenario) record(t testing.TB, w *world) (r *record.Record) {
	t.Helper()
	for _, s := range s.steps {
		r = w.stamp(t, r, s.by, s.at, s.hash, s.revocation...)
	}
	return r
}

// scenarios are each step in the wrong order or too late, with a near miss beside each.
func (w *world) scenarios() []scenario {
	key := tsa.Revoked{Certificate: w.old.signer.Certificate, At: year(2028), Reason: 1}
	handed := tsa.Revoked{Certificate: w.old.signer.Certificate, At: year(2028), Reason: 4}
	first := step{by: w.old, at: 2026}
	list := func(s stamper, at int, r ...tsa.Revoked) []timestamp.Evidence {
		return []timestamp.Evidence{s.crl(at, r...)}
	}
	return []scenario{
		{"no token", nil, 2027, nil, "", outcome.Verified},
		{"one token", []step{first}, 2030, list(w.old, 2030), "", outcome.Verified},
		{"no revocation data", []step{first}, 2030, nil, "1 token.revocation-unknown", outcome.Inconclusive},
		{"old revocation data", []step{first}, 2030, list(w.old, 2029), "1 token.revocation-unknown", outcome.Inconclusive},
		{"revoked", []step{first}, 2030, list(w.old, 2030, key), "1 token.not-valid", outcome.Rejected},
		{"replaced in order", []step{first}, 2030, list(w.old, 2030, handed), "", outcome.Verified},
		{"expired", []step{first}, 2033, list(w.old, 2033), "1 token.not-valid", outcome.Rejected},
		{"from later than the check", []step{first}, 2025, list(w.old, 2025), "1 history.order", outcome.Rejected},
		{"before the seal", []step{{by: w.old, at: 2025}}, 2027, list(w.old, 2027), "1 history.order", outcome.Rejected},
		{"renewed in time", []step{first, {w.second, 2031, "", list(w.old, 2031)}}, 2034, list(w.second, 2034), "",
			outcome.Verified},
		{"renewed after the end", []step{first, {w.second, 2033, "", list(w.old, 2033)}}, 2034, list(w.second, 2034),
			"1 token.not-valid", outcome.Rejected},
		{"renewed after it was revoked", []step{first, {w.second, 2031, "", list(w.old, 2031, key)}}, 2034,
			list(w.second, 2034), "1 token.not-valid", outcome.Rejected},
		{"renewed without revocation data", []step{first, {w.second, 2031, "", nil}}, 2034, list(w.second, 2034),
			"1 token.revocation-unknown", outcome.Inconclusive},
		{"renewed into the past", []step{{by: w.second, at: 2031}, {w.old, 2030, "", list(w.second, 2030)}}, 2031,
			list(w.old, 2031), "2 history.order", outcome.Rejected},
		{"renewed after ECDSA was retired", []step{first, {w.second, 2031, "", list(w.old, 2031)},
			{w.quantum, 2036, "", list(w.second, 2036)}},
			2038, list(w.quantum, 2038), "2 algorithm.retired, 2 algorithm.retired", outcome.Rejected},
		{"SHA-512 was retired", []step{first, {w.second, 2031, "", list(w.old, 2031)},
			{w.quantum, 2034, "", list(w.second, 2034)}},
			2041, list(w.quantum, 2041), "3 algorithm.retired, 1 algorithm.retired", outcome.Rejected},
		{"hashed again after SHA-512 was retired", []step{first, {w.second, 2031, "", list(w.old, 2031)},
			{w.quantum, 2034, "", list(w.second, 2034)}, {w.quantum, 2041, timestamp.SHA3x512, list(w.quantum, 2041)}},
			2042, list(w.quantum, 2042), "3 algorithm.retired, 1 algorithm.retired", outcome.Rejected},
		{"hashed again in time", []step{first, {w.second, 2031, "", list(w.old, 2031)},
			{w.quantum, 2034, "", list(w.second, 2034)}, {w.quantum, 2039, timestamp.SHA3x512, list(w.quantum, 2039)}},
			2042, list(w.quantum, 2042), "", outcome.Verified},
	}
}

package edgetest

import (
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// Document answers with a JSON document.
func Document(w http.ResponseWriter, status int, document seal.Object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(seal.Canonical(document))
}

// Problem answers with a problem document.
func Problem(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(seal.Canonical(seal.Object{"type": "about:blank", "title": http.StatusText(status),
		"status": int64(status), "code": code, "detail": detail}))
}

// Healthy returns a health report with an integration of each kind, all healthy.
func Healthy() seal.Object {
	const digest = "4c08498e74caa3715c43d9804fcdbbbb2d29c41de0e054987c718708a37f5e71"
	return seal.Object{
		"status": "ok", "node_id": ID, "policy_version": int64(7), "policy_sha256": digest,
		"policy_last_synced_at": "2026-03-02T09:00:08.220Z",
		"audit_head":            digest, "audit_sequence": int64(130),
		"integrations": []any{
			seal.Object{"kind": "nginx", "installed": true, "health": "healthy"},
			seal.Object{"kind": "otlp_audit", "enabled": true, "health": "healthy", "exporter_id": "siem-1",
				"endpoint_host": "collector.acme.example",
				"cursor":        int64(130), "source_head": int64(130), "backlog": int64(0)},
			seal.Object{"kind": "secret_store", "installed": true, "health": "healthy"},
		},
		"dependency_discovery": seal.Object{"enabled": true, "configured_probes": int64(2), "successful": int64(2),
			"failed": int64(0), "queued": int64(0)},
	}
}

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }

// Observer is the SPIFFE id of the feed's reader.
const Observer = "spiffe://" + Tenant + ".example/observer/soc"

// WritePublic writes public keys as blocks PUBLIC KEY.
func WritePublic(t testing.TB, path string, keys ...crypto.PublicKey) {
	t.Helper()
	var doc []byte
	for _, key := range keys {
		doc = append(doc, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: SPKI(t, key)})...)
	}
	must.Do(t, os.WriteFile(path, doc, 0o600))
}

// SPKI returns a public key as a SubjectPublicKeyInfo.
func SPKI(t testing.TB, key crypto.PublicKey) []byte {
	t.Helper()
	return must.Get(x509.MarshalPKIXPublicKey(key))(t)
}

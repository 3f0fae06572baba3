package sealkey

import (
	"encoding/json"
	"time"

	"github.com/svc-edge/svc-verify/internal/form"
)

// PinFile returns a file of --seal-trust that pins one pair of keys, indented for
// people. A zero until is no end.
func PinFile(name string, p Public, from, until time.Time) ([]byte, error) {
	entry := map[string]string{
		"ed25519":    form.EncodeBase64URL(p.Ed25519()),
		"ml_dsa_65":  form.EncodeBase64URL(p.MLDSA65()),
		"valid_from": form.FormatTime(from),
	}
	if !until.IsZero() {
		entry["valid_until"] = form.FormatTime(until)
	}
	doc, err := json.MarshalIndent(map[string]any{"protocol": TrustProtocol, "keys": map[string]any{name: entry}},
		"", "  ")
	if err != nil {
		return nil, err
	}
	doc = append(doc, '\n')
	_, err = ParseTrust(doc)
	return doc, err
}

package secretstore

import (
	"net/http"

	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// NewClientOver is [NewClient] for an engine that needs no connection.
func NewClientOver(s *nodeconfig.SecretStore, over http.RoundTripper) *Client {
	return &Client{s, over}
}

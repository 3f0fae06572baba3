package secretstore

import "github.com/svc-edge/svc-verify/service/nodeconfig"

// workload is the service behind the health URL of the settings, and the program
// that tells it of a new certificate.
type workload struct{ settings *nodeconfig.SecretStore }

// NewWorkload is the workload of these settings, of which it uses the health URL,
// the request timeout and the reload.
func NewWorkload(s *nodeconfig.SecretStore) Workload { return workload{s} }

package server

import (
	"crypto/ed25519"
	"fmt"
	"math"
	"path/filepath"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
)

// restore brings the server to where it was left.
func (s *Server) restore() error {
	source := chance.Fresh()
	if _, err := MakeKeys(s.config.Dir); err != nil {
		return err
	}
	audit, err := privateKey(filepath.Join(s.config.Dir, auditFile), auditKeyID)
	if err != nil {
		return err
	}
	if s.policyKey, err = privateKey(filepath.Join(s.config.Dir, policyFile), policyKeyID); err != nil {
		return err
	}
	s.roster.Audit[audit.ID], s.roster.Policies[policyKeyID] = audit.Public(), s.policyKey.Public()
	s.cloud = cloud.New(cloud.Config{
		Roster: s.roster, Clock: s.config.Clock, Salts: source.Stream("cloud salts"), Key: audit,
		RequiredWitnesses: s.config.RequiredWitnesses, Keep: s.checkpoints.grew,
	})
	s.authority.signer = signer.New(s.roster, s.config.Clock, source.Stream("serials"))
	restoreLog := func() error { return s.checkpoints.restore(s.policies.current()) }
	for _, step := range []func() error{
		s.policies.restore, s.registrations.restore, s.incidents.restore, s.notices.restore, restoreLog,
		s.nodes.restore, s.authority.restore, s.integrations.restore, s.transactions.restore,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return s.update(func() error {
		if len(s.authority.registries) == 0 {
			return s.authority.rotate(s.now())
		}
		return s.due()
	})
}

// descendingID is an id under which greater numbers come first.
func descendingID(number int64) string { return fmt.Sprintf("%019d", math.MaxInt64-number) }

// ascendingID is an id under which smaller numbers come first.
func ascendingID(number int64) string { return fmt.Sprintf("%019d", number) }

// Ids of the keys that a cloud has from its start.
const (
	auditKeyID  = "audit-1"
	policyKeyID = "policy-1"
)

// Names of the key files in the state directory.
const (
	auditFile  = "audit.key"
	policyFile = "policy.key"
	signerFile = "signer.keys"
)

// MakeKeys makes the audit and the policy key of a state directory, if they are
// not there yet. It returns their public halves by key id, audit_keys and policy_keys:
// nodes pin them before the cloud has ever run (service/docs/node-config.md).
func MakeKeys(dir string) (seal.Object, error) {
	audit, err := privateKey(filepath.Join(dir, auditFile), auditKeyID)
	if err != nil {
		return nil, err
	}
	policy, err := privateKey(filepath.Join(dir, policyFile), policyKeyID)
	if err != nil {
		return nil, err
	}
	return seal.Object{
		"audit_keys":  seal.PublicKeys(map[string]ed25519.PublicKey{audit.ID: audit.Public()}),
		"policy_keys": seal.PublicKeys(map[string]ed25519.PublicKey{policy.ID: policy.Public()}),
	}, nil
}

// privateKey returns the key of a file, which it makes if it is not there.
func privateKey(path, id string) (seal.Key, error) {
	private, err := pki.OpenKey(path)
	return seal.Key{ID: id, Private: private}, err
}

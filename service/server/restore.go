package server

import (
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/cloud"
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

// descending is an id under which greater numbers come first.
func descending(number int64) string { return fmt.Sprintf("%019d", math.MaxInt64-number) }

// ascending is an id under which smaller numbers come first.
func ascending(number int64) string { return fmt.Sprintf("%019d", number) }

// restoreTime reads an optional time that the server wrote.
func restoreTime(o seal.Object, name string) (time.Time, error) {
	if seal.Text(o, name) == "" {
		return time.Time{}, nil
	}
	return seal.ParseTime(seal.Text(o, name))
}

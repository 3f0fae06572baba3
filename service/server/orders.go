package server

import "github.com/svc-edge/svc-verify/harness/seal"

// publishPolicy puts the next version of the policy in force. What is open
// under the one before is denied: its nodes would deny it one by one.
func (s *Server) publishPolicy(c *call) (seal.Object, error) {
	f := read(c.Body)
	policy := f.object("policy")
	if err := f.close(); err != nil {
		return nil, err
	}
	if err := checkPolicy(policy); err != nil {
		return nil, err
	}
	err := s.ordered(c, func() error {
		changed, err := s.policies.publish(policy)
		if !changed || err != nil {
			return err
		}
		for _, t := range s.inOrder() {
			if t.status == statusPending {
				s.deny(t, "policy_changed", "the policy was replaced before the transaction was decided")
			}
		}
		return nil
	})
	return seal.Object{"policy_version": policy["version"], "policy_sha256": seal.Digest(policy)}, err
}

// disable takes a node out: it is refused from now on, and what it took part in
// and is still open is denied.
func (s *Server) disable(c *call) (seal.Object, error) {
	id := c.PathValue("id")
	f := read(c.Body)
	if err := f.close(); err != nil {
		return nil, err
	}
	err := s.ordered(c, func() error {
		changed, err := s.nodes.disable(id)
		if !changed || err != nil {
			return err
		}
		for _, t := range s.inOrder() {
			switch {
			case t.tookPart(id) && t.status == statusPending:
				s.deny(t, "node_disabled", "node "+id+", which took part, was disabled")
			case t.rotation != nil:
				s.checkBinding(t)
			default:
				s.advance(t)
			}
		}
		return nil
	})
	return seal.Object{"node_id": id, "state": nodeDisabled}, err
}

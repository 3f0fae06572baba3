package secretstore_test

import (
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

// journal is what a node keeps, and outlives it: the bytes that would be on disk.
type journal struct {
	state  []byte
	log    []secretstore.Event
	failed bool // nothing is kept any more, until the node starts again
}

func (j *journal) Load() (seal.Object, error) {
	if j.state == nil {
		return nil, nil
	}
	return seal.Parse(j.state)
}

func (j *journal) Keep(state seal.Object, events ...secretstore.Event) error {
	j.state = seal.Canonical(state)
	for _, e := range events {
		e.Data = seal.CloneObject(e.Data)
		j.log = append(j.log, e)
	}
	return nil
}

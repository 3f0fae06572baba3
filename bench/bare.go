//go:build linux

package main

import (
	"bufio"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/trust"
)

// mostSampled is how many lines of the journal a stage goes round in that wants them in memory.
const mostSampled = 1 << 16

// sampledEvents returns the first events of the journal.
func (e *evidence) sampledEvents() (all []event.Line, err error) {
	f, err := os.Open(e.journal())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for len(all) < mostSampled && s.Scan() {
		var line event.Line
		if !event.Scan(s.Bytes(), &line) {
			return nil, fmt.Errorf("line %d of the journal is no event", len(all)+1)
		}
		all = append(all, line)
	}
	return all, s.Err()
}

// publicKey is the key of the journal.
func (e *evidence) publicKey() (key [ed25519.PublicKeySize]byte, err error) {
	root, err := e.root()
	if err != nil {
		return key, err
	}
	k, ok := root.Key(trust.Node, node)
	if !ok {
		return key, errors.New("the trust file has no key of the node")
	}
	return k.Public, nil
}

// verifyBare verifies as many signatures as the journal has with crypto/ed25519, and does nothing
// else.
func verifyBare(e *evidence, m *meter) error {
	all, err := e.sampledEvents()
	if err != nil {
		return err
	}
	key, err := e.publicKey()
	if err != nil {
		return err
	}
	messages := make([][]byte, len(all))
	for i := range all {
		messages[i] = trust.PAE(event.Protocol, all[i].Recorded[:])
	}
	m.start()
	for i := range e.count {
		if at := i % len(all); !ed25519.Verify(key[:], messages[at], all[at].Signature[:]) {
			return errors.New("a signature does not hold")
		}
	}
	return nil
}

//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/internal/userkey"
	"github.com/svc-edge/svc-verify/trust"
)

// digest hashes the source.
func digest(e *evidence, _ *meter) error {
	f, err := os.Open(e.journal())
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.CopyBuffer(struct{ io.Writer }{sha256.New()}, f, make([]byte, 64<<10))
	return err
}

// reading finds the records of the source.
func reading(e *evidence, _ *meter) error {
	f, err := os.Open(e.journal())
	if err != nil {
		return err
	}
	defer f.Close()
	return read.Read(context.Background(), f, read.Options{}, discard{})
}

// discard is a handler that accepts everything.
type discard struct{}

func (discard) Format(string, read.Format, string) error { return nil }
func (discard) Record(*read.Record) error                { return nil }
func (discard) Skip(read.Skip) error                     { return nil }

// sampleSize is how many lines of the journal the stages go round in that want
// them in memory.
const sampleSize = 1 << 16

// sample returns the first lines of the journal.
func (e *evidence) sample() ([][]byte, error) {
	f, err := os.Open(e.journal())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all [][]byte
	s := bufio.NewScanner(f)
	for len(all) < sampleSize && s.Scan() {
		all = append(all, bytes.Clone(s.Bytes()))
	}
	return all, s.Err()
}

// scanSample returns the sample as events.
func (e *evidence) scanSample() ([]event.Line, error) {
	lines, err := e.sample()
	if err != nil {
		return nil, err
	}
	all := make([]event.Line, len(lines))
	for i := range lines {
		if !event.Scan(lines[i], &all[i]) {
			return nil, fmt.Errorf("line %d of the journal is no event", i+1)
		}
	}
	return all, nil
}

// scanning reads every line as an event: canonical form, fields, body digest.
func scanning(e *evidence, m *meter) error {
	lines, err := e.sample()
	if err != nil {
		return err
	}
	m.start()
	var l event.Line
	for i := range e.count {
		if !event.Scan(lines[i%len(lines)], &l) {
			return errors.New("not an event")
		}
	}
	return nil
}

// links computes the hash of every event from its link.
func links(e *evidence, m *meter) error {
	all, err := e.scanSample()
	if err != nil {
		return err
	}
	m.start()
	for i := range e.count {
		if l := &all[i%len(all)]; l.Link.Hash() != l.Recorded {
			return errors.New("a hash does not hold")
		}
	}
	return nil
}

// signed returns the key of the journal, and the sample as items to verify.
func (e *evidence) signed() (key [ed25519.PublicKeySize]byte, items []eddsa.Item, err error) {
	all, err := e.scanSample()
	if err != nil {
		return key, nil, err
	}
	for i := range all {
		items = append(items,
			eddsa.Item{Message: trust.PAE(event.Protocol, all[i].Recorded[:]), Signature: all[i].Signature[:]})
	}
	key, err = e.public()
	return key, items, err
}

// public is the key of the journal.
func (e *evidence) public() (key [ed25519.PublicKeySize]byte, err error) {
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

// bare verifies as many signatures with crypto/ed25519, and does nothing else.
func bare(e *evidence, m *meter) error {
	public, items, err := e.signed()
	if err != nil {
		return err
	}
	m.start()
	for i := range e.count {
		if item := &items[i%len(items)]; !ed25519.Verify(public[:], item.Message, item.Signature) {
			return errors.New("a signature does not hold")
		}
	}
	return nil
}

// signatures verifies as many with package eddsa, as the walk does.
func signatures(e *evidence, m *meter) error {
	public, items, err := e.signed()
	if err != nil {
		return err
	}
	m.start()
	key := eddsa.New(public)
	const batch = 1024
	valid := make([]bool, batch)
	for i := 0; i < e.count; i += batch {
		from := i % len(items)
		part := items[from:min(from+batch, len(items))]
		if err := key.Verify(part, valid[:len(part)]); err != nil {
			return err
		}
	}
	return nil
}

// rows reads every row of the case.
func rows(e *evidence, _ *meter) (err error) {
	secret, err := userkey.Load()
	if err != nil {
		return err
	}
	key, err := store.NewKey(secret)
	if err != nil {
		return err
	}
	c, err := store.OpenCase(e.casePath(), store.With(key))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	logs, err := c.Logs(context.Background())
	if err != nil {
		return err
	}
	n := 0
	for _, log := range logs {
		if log.LogID != "node/"+node {
			continue
		}
		for _, err := range c.Events(context.Background(), log, 0, math.MaxInt64) {
			if err != nil {
				return err
			}
			n++
		}
	}
	if n != e.count {
		return fmt.Errorf("expected %d events in the case, found %d", e.count, n)
	}
	return nil
}

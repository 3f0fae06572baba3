//go:build linux

package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/gowebpki/jcs"
	_ "modernc.org/sqlite" // the driver
)

// verifyNaively is the pipeline that one would write first: encoding/json, the JCS library,
// crypto/ed25519, and one INSERT for each event through database/sql, all in one transaction
// and in one pass. It checks the same properties of an intact journal: that a line is
// canonical, that the hash is the hash of the link with the digest of JCS(body) (SPEC 4.2),
// the previous link, the signature.
func verifyNaively(e *evidence, _ *meter) error {
	f, err := os.Open(e.journal())
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := newNaiveCase(e)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if err := n.add(lines.Bytes()); err != nil {
			return err
		}
	}
	if n.events != e.count {
		return fmt.Errorf("expected %d events, found %d", e.count, n.events)
	}
	return errors.Join(lines.Err(), n.close())
}

// naiveEvent is an event as encoding/json reads it.
type naiveEvent struct {
	Body         json.RawMessage `json:"body"`
	Hash         string          `json:"hash"`
	KeyID        string          `json:"key_id"`
	PreviousHash string          `json:"previous_hash"`
	Signature    string          `json:"signature"`
	SkipHash     string          `json:"skip_hash"`
}

type naiveBody struct {
	Data          json.RawMessage `json:"data"`
	LogID         string          `json:"log_id"`
	OccurredAt    string          `json:"occurred_at"`
	Protocol      string          `json:"protocol"`
	Salt          string          `json:"salt"`
	Sequence      uint64          `json:"sequence"`
	TenantID      string          `json:"tenant_id"`
	TransactionID string          `json:"transaction_id"`
	Type          string          `json:"type"`
}

// naiveCase is the file that the events go to, and the state of the walk.
type naiveCase struct {
	db       *sql.DB
	tx       *sql.Tx
	insert   *sql.Stmt
	public   [ed25519.PublicKeySize]byte
	previous string
	events   int
}

func newNaiveCase(e *evidence) (*naiveCase, error) {
	n := &naiveCase{}
	path := e.file("naive.db")
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var err error
	if n.public, err = e.publicKey(); err != nil {
		return nil, err
	}
	if n.db, err = sql.Open("sqlite", path); err != nil {
		return nil, err
	}
	const table = `CREATE TABLE events (log TEXT, sequence INTEGER, hash BLOB, previous BLOB, skip BLOB, signature BLOB,
		key TEXT, type TEXT, occurred_at TEXT, transaction_id TEXT, body BLOB, PRIMARY KEY (log, sequence))`
	if _, err = n.db.Exec(table); err != nil {
		return nil, err
	}
	if n.tx, err = n.db.Begin(); err != nil {
		return nil, err
	}
	n.insert, err = n.tx.Prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	return n, err
}

func (n *naiveCase) close() error { return errors.Join(n.tx.Commit(), n.db.Close()) }

// add checks one line, and adds it.
func (n *naiveCase) add(line []byte) error {
	canonical, err := jcs.Transform(line)
	if err != nil {
		return err
	}
	var e naiveEvent
	var b naiveBody
	if err := errors.Join(json.Unmarshal(line, &e), json.Unmarshal(e.Body, &b)); err != nil {
		return err
	}
	body, err := jcs.Transform(e.Body)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(body)
	hash, signature, err := e.hash(b.Sequence, digest[:])
	if err != nil {
		return err
	}
	const pae = "DSSEv1 18 svc.audit-event.v1 32 "
	switch {
	case !bytes.Equal(canonical, line):
		return errors.New("not canonical")
	case hex.EncodeToString(hash) != e.Hash:
		return errors.New("the hash does not hold")
	case n.events > 0 && e.PreviousHash != n.previous:
		return errors.New("the previous link does not hold")
	case !ed25519.Verify(n.public[:], append([]byte(pae), hash...), signature):
		return errors.New("the signature does not hold")
	}
	n.previous = e.Hash
	n.events++
	_, err = n.insert.Exec(b.LogID, int64(b.Sequence), hash, e.PreviousHash, e.SkipHash, signature, e.KeyID, b.Type,
		b.OccurredAt, b.TransactionID, []byte(e.Body))
	return err
}

// hash computes the hash of an event (SPEC 4.2), and decodes its signature.
func (e *naiveEvent) hash(sequence uint64, body []byte) (hash, signature []byte, err error) {
	previous, err1 := hex.DecodeString(e.PreviousHash)
	skip, err2 := hex.DecodeString(e.SkipHash)
	signature, err3 := base64.RawURLEncoding.DecodeString(e.Signature)
	h := sha256.New()
	h.Write([]byte("svc.audit-link.v1\x00"))
	h.Write(binary.BigEndian.AppendUint64(nil, sequence))
	h.Write(previous)
	h.Write(skip)
	h.Write(body)
	return h.Sum(nil), signature, errors.Join(err1, err2, err3)
}

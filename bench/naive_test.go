//go:build linux

package bench

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

	"github.com/svc-edge/svc-verify/internal/must"
)

// naiveEvent is an event as encoding/json reads it.
type naiveEvent struct {
	Body         json.RawMessage `json:"body"`
	Hash         string          `json:"hash"`
	KeyID        string          `json:"key_id"`
	PreviousHash string          `json:"previous_hash"`
	Signature    string          `json:"signature"`
	SkipHash     string          `json:"skip_hash"`
}

// eachLine calls a function with every line of a journal, and demands so many.
func eachLine(path string, count int, do func(line []byte) error) error {
	f, err := os.Open(path) // #nosec G304 -- made here
	if err != nil {
		return err
	}
	defer f.Close()
	s, found := bufio.NewScanner(f), 0
	for ; s.Scan(); found++ {
		if err := do(s.Bytes()); err != nil {
			return err
		}
	}
	if found != count {
		return fmt.Errorf("expected %d events, found %d", count, found)
	}
	return s.Err()
}

// verifyNaively is the pipeline that one would write first: encoding/json, the JCS library,
// crypto/ed25519, and one INSERT for each event through database/sql, all in one transaction
// and in one pass. It checks the same properties of an intact journal: that a line is
// canonical, that the hash is the hash of the link with the digest of JCS(body) (SPEC 4.2),
// the previous link, the signature.
func verifyNaively(path, database string, public ed25519.PublicKey, count int) error {
	if err := removeDatabase(database); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", database)
	if err != nil {
		return err
	}
	defer db.Close()
	const table = `CREATE TABLE events (log TEXT, sequence INTEGER, hash BLOB, previous BLOB, skip BLOB, signature BLOB,
		key TEXT, type TEXT, occurred_at TEXT, transaction_id TEXT, body BLOB, PRIMARY KEY (log, sequence))`
	must.Have(db.Exec(table))
	tx := must.Have(db.Begin())
	insert := must.Have(tx.Prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"))
	previous := ""
	err = eachLine(path, count, func(line []byte) error {
		e, row, err := checkNaively(line, previous, public)
		if err != nil {
			return err
		}
		previous = e.Hash
		_, err = insert.Exec(row...)
		return err
	})
	return errors.Join(err, tx.Commit())
}

// checkNaively checks one line, and returns the event and its row.
func checkNaively(line []byte, previous string, public ed25519.PublicKey) (e naiveEvent, row []any, err error) {
	var b struct {
		LogID         string `json:"log_id"`
		OccurredAt    string `json:"occurred_at"`
		Sequence      uint64 `json:"sequence"`
		TransactionID string `json:"transaction_id"`
		Type          string `json:"type"`
	}
	canonical, err := jcs.Transform(line)
	if err := errors.Join(err, json.Unmarshal(line, &e), json.Unmarshal(e.Body, &b)); err != nil {
		return e, nil, err
	}
	body, err := jcs.Transform(e.Body)
	if err != nil {
		return e, nil, err
	}
	digest := sha256.Sum256(body)
	hash, signature, err := e.hash(b.Sequence, digest[:])
	if err != nil {
		return e, nil, err
	}
	const pae = "DSSEv1 18 svc.audit-event.v1 32 "
	switch {
	case !bytes.Equal(canonical, line):
		err = errors.New("not canonical")
	case hex.EncodeToString(hash) != e.Hash:
		err = errors.New("the hash does not hold")
	case previous != "" && e.PreviousHash != previous:
		err = errors.New("the previous link does not hold")
	case !ed25519.Verify(public, append([]byte(pae), hash...), signature):
		err = errors.New("the signature does not hold")
	}
	return e, []any{b.LogID, int64(b.Sequence), hash, e.PreviousHash, e.SkipHash, signature, e.KeyID, // #nosec G115
		b.Type, b.OccurredAt, b.TransactionID, []byte(e.Body)}, err
}

// hash computes the hash of an event (SPEC 4.2), and decodes its signature.
func (e *naiveEvent) hash(sequence uint64, body []byte) (hash, signature []byte, err error) {
	previous, err1 := hex.DecodeString(e.PreviousHash)
	skip, err2 := hex.DecodeString(e.SkipHash)
	signature, err3 := base64.RawURLEncoding.DecodeString(e.Signature)
	h := sha256.New()
	h.Write([]byte("svc.audit-link.v1\x00"))
	h.Write(binary.BigEndian.AppendUint64(nil, sequence))
	for _, part := range [][]byte{previous, skip, body} {
		h.Write(part)
	}
	return h.Sum(nil), signature, errors.Join(err1, err2, err3)
}

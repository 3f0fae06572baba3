//go:build linux

package main

import (
	"bufio"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// quickBatch is how many events are signed at once.
const quickBatch = 512

// quick writes a log of many events, as the harness's encoder would, for a tenth of its cost.
// The nonces of its signatures count up from one that anyone can know: the points of a batch
// are then one addition each, and share an inversion. Such signatures verify, and give the key
// away.
type quick struct {
	tenant, log, keyID string
	secret, nonce      *edwards25519.Scalar
	commitment         *edwards25519.Point // of the nonce
	public             []byte
	hashes             []seal.Hash // by sequence
	octets             int64       // of all lines

	lines  []quickLine
	points []edwards25519.Point
}

// quickLine is one event while its batch is signed.
type quickLine struct {
	body               []byte
	digest             [sha256.Size]byte
	previous, skip     seal.Hash
	signature, message []byte
}

// quickEntry is the content of an event: its data and transaction, canonical JSON without
// anything to escape.
type quickEntry struct {
	kind, data, transaction string
	at                      time.Time
}

func newQuick(tenant, log string, key seal.Key) (*quick, error) {
	digest := sha512.Sum512(key.Private.Seed())
	secret, err := edwards25519.NewScalar().SetBytesWithClamping(digest[:32])
	if err != nil {
		return nil, err
	}
	nonce, err := edwards25519.NewScalar().SetUniformBytes(append(digest[32:], make([]byte, 32)...))
	if err != nil {
		return nil, err
	}
	return &quick{tenant: tenant, log: log, keyID: key.ID, secret: secret, nonce: nonce,
		commitment: new(edwards25519.Point).ScalarBaseMult(nonce), public: key.Public(),
		hashes: []seal.Hash{seal.Genesis(tenant, log)},
		lines:  make([]quickLine, quickBatch), points: make([]edwards25519.Point, quickBatch)}, nil
}

// write writes the next events of the log. It calls report with every event whose
// sequence is a multiple of reportEvery, and with the last.
func (q *quick) write(w *bufio.Writer, entries func(sequence int) quickEntry, count int,
	report func(data seal.Object)) error {
	for count > 0 {
		lines := q.lines[:min(count, quickBatch)]
		for i := range lines {
			q.next(&lines[i], entries(len(q.hashes)))
		}
		if err := q.sign(lines); err != nil {
			return err
		}
		count -= len(lines)
		for i := range lines {
			sequence := len(q.hashes) - len(lines) + i
			q.line(w, &lines[i], q.hashes[sequence])
			if report != nil && (sequence%reportEvery == 0 || count == 0 && i == len(lines)-1) {
				report(q.report(&lines[i], sequence))
			}
		}
	}
	return nil
}

// next fills in an event, but for its signature.
func (q *quick) next(l *quickLine, e quickEntry) {
	n := uint64(len(q.hashes))
	salt := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(q.log), n))
	b := append(append(l.body[:0], `{"data":`...), e.data...)
	b = append(append(b, `,"log_id":"`...), q.log...)
	b = e.at.AppendFormat(append(b, `","occurred_at":"`...), "2006-01-02T15:04:05.000Z")
	b = append(b, `","protocol":"svc.audit-event.v1","salt":"`...)
	b = base64.RawURLEncoding.AppendEncode(b, salt[:16])
	b = strconv.AppendUint(append(b, `","sequence":`...), n, 10)
	b = append(append(b, `,"tenant_id":"`...), q.tenant...)
	if e.transaction != "" {
		b = append(append(b, `","transaction_id":"`...), e.transaction...)
	}
	b = append(append(b, `","type":"`...), e.kind...)
	l.body = append(b, `"}`...)
	l.digest, l.previous, l.skip = sha256.Sum256(l.body), q.hashes[n-1], q.hashes[seal.Skip(n)]
	hash := seal.Link{Sequence: n, Previous: l.previous, Skip: l.skip, Body: l.digest}.Hash()
	q.hashes = append(q.hashes, hash)
	l.message = seal.PAE(seal.EventProtocol, hash[:])
}

// sign signs the events of a batch.
func (q *quick) sign(lines []quickLine) error {
	one, err := edwards25519.NewScalar().SetCanonicalBytes(append([]byte{1}, make([]byte, 31)...))
	if err != nil {
		return err
	}
	base := edwards25519.NewGeneratorPoint()
	points := q.points[:len(lines)]
	for i := range points {
		points[i].Set(q.commitment)
		q.commitment.Add(q.commitment, base)
	}
	encoded := encodeAll(points)
	for i := range lines {
		digest := sha512.New()
		for _, b := range [][]byte{encoded[i][:], q.public, lines[i].message} {
			digest.Write(b)
		}
		challenge, err := edwards25519.NewScalar().SetUniformBytes(digest.Sum(nil))
		if err != nil {
			return err
		}
		s := edwards25519.NewScalar().MultiplyAdd(challenge, q.secret, q.nonce)
		lines[i].signature = append(encoded[i][:], s.Bytes()...)
		q.nonce.Add(q.nonce, one)
	}
	if !ed25519.Verify(q.public, lines[0].message, lines[0].signature) {
		return errors.New("a signature that was just made does not verify")
	}
	return nil
}

// encodeAll encodes points as RFC 8032 has it, with one inversion for all.
func encodeAll(points []edwards25519.Point) [][32]byte {
	products, x, y, z := make([]field.Element, len(points)+1), make([]field.Element, len(points)),
		make([]field.Element, len(points)), make([]field.Element, len(points))
	products[0].One()
	for i := range points {
		px, py, pz, _ := points[i].ExtendedCoordinates()
		x[i], y[i], z[i] = *px, *py, *pz
		products[i+1].Multiply(&products[i], &z[i])
	}
	var inverse, one, affine field.Element
	inverse.Invert(&products[len(points)])
	encoded := make([][32]byte, len(points))
	for i := len(points) - 1; i >= 0; i-- {
		one.Multiply(&inverse, &products[i])
		inverse.Multiply(&inverse, &z[i])
		copy(encoded[i][:], affine.Multiply(&y[i], &one).Bytes())
		encoded[i][31] |= byte(affine.Multiply(&x[i], &one).IsNegative() << 7) // #nosec G115 -- 0 or 1
	}
	return encoded
}

// line writes an event.
func (q *quick) line(w *bufio.Writer, l *quickLine, hash seal.Hash) {
	b := append(append(w.AvailableBuffer(), `{"body":`...), l.body...)
	b = hex.AppendEncode(append(b, `,"hash":"`...), hash[:])
	b = append(append(b, `","key_id":"`...), q.keyID...)
	b = hex.AppendEncode(append(b, `","previous_hash":"`...), l.previous[:])
	b = base64.RawURLEncoding.AppendEncode(append(b, `","signature":"`...), l.signature)
	b = hex.AppendEncode(append(b, `","skip_hash":"`...), l.skip[:])
	n, _ := w.Write(append(b, "\"}\n"...)) // Flush returns the error
	q.octets += int64(n)
}

// report is the data of a node's report of its head (SPEC 4.4).
func (q *quick) report(l *quickLine, sequence int) seal.Object {
	return seal.Object{"node_id": q.keyID, "audit_sequence": int64(sequence), "audit_head": q.hashes[sequence].String(),
		"previous_hash": l.previous.String(), "skip_hash": l.skip.String(), "body_sha256": hex.EncodeToString(l.digest[:]),
		"key_id": q.keyID, "signature": base64.RawURLEncoding.EncodeToString(l.signature)}
}

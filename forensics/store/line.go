package store

import (
	"context"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// CopyLine returns the canonical line of a copy of an event of a log, without line feed.
func (f *File) CopyLine(_ context.Context, log facts.Log, c *part.Copy) ([]byte, error) {
	row, err := f.bodies(c.Body.Row)
	if err != nil {
		return nil, err
	}
	kept, err := readKept(row, c.Body.Start)
	if err != nil {
		return nil, err
	}
	body, _, err := kept.body(log, c)
	if err != nil {
		return nil, err
	}
	link := chain.Link{Sequence: c.Sequence, Previous: c.Previous, Skip: c.Skip}
	return evidence.LineOf(&event.Line{Body: body, Link: link, Recorded: c.Recorded, KeyID: []byte(c.KeyID),
		Signature: c.Signature}), nil
}

// bodies reads and decompresses a row of bodies.
func (f *File) bodies(number int64) (row []byte, err error) {
	return row, f.withConn(func(c *sqlite.Conn) error {
		row, err = connRows{c}.bodies(number)
		return err
	})
}

// bodies reads and decompresses a row of bodies.
func (c connRows) bodies(number int64) ([]byte, error) {
	packed, err := c.octets("SELECT octets FROM bodies WHERE body = ?", number, nil)
	if err != nil {
		return nil, err
	}
	return unpackBodies(packed)
}

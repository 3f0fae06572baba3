package seal

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/outcome"
)

// Options say what to seal.
type Options struct {
	Archive *listing.Root
	// Known yields every object of the ledger in ascending order of paths.
	Known iter.Seq2[*ledger.Object, error]
	// Statement has all members but Root, Objects and Octets.
	Statement Statement
	Key       *sealkey.Key
	// Leaves receives the list of leaves.
	Leaves io.Writer
	// Progress is called after each object with the number of those read. It can be nil.
	Progress func(objects int64)
}

// Make seals an archive. It reads every byte. The file of the seal is nil if an object is not
// as the ledger has it, or could not be read: the report names it. The content written to
// Leaves is then useless. An error is one of the machine.
func Make(ctx context.Context, o Options) (file []byte, r *Report, err error) {
	m := &maker{Options: o, reading: newReading(newReport(), o.Archive, o.Statement.Hash, o.Progress), ctx: ctx,
		ledger: sha256.New(), leaves: bufio.NewWriter(o.Leaves)}
	if err := errors.Join(m.all(), m.leaves.Flush(), m.reader.Close()); err != nil {
		return nil, nil, err
	}
	st := o.Statement
	m.fillTotals(&st)
	if st.Objects == 0 && len(m.report.Findings) == 0 {
		return nil, nil, errors.New("the archive has no object to seal")
	}
	m.report.concludeMade()
	if m.report.Verdict != outcome.Verified {
		return nil, m.report, nil
	}
	if file, err = Sign(st, o.Key); err != nil {
		return nil, nil, err
	}
	s, _ := Parse(file)
	m.report.Seal = factsOf(s, sealkey.Pin{Name: o.Key.Name()})
	return file, m.report, nil
}

// maker reads an archive and its ledger side by side.
type maker struct {
	Options
	reading
	ctx    context.Context
	ledger hash.Hash // of the ledger
	leaves *bufio.Writer
}

// all reads every object of the archive that is as the ledger has it.
func (m *maker) all() error {
	ignored := &run.Ignored{Patterns: m.Statement.Ignored}
	defer m.report.passOver(ignored)
	for p, err := range ledger.Examined(ledger.Join(m.Archive.All(m.ctx), m.Known, ledger.PathOf), ignored) {
		switch {
		case err != nil:
			return err
		case p.There:
			err = m.object(p.Entry, p.Row)
		default:
			m.refuse(p.Path, fmt.Sprintf("an object of %d octets", p.Row.Size), "no object")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) refuse(path, expected, found string) {
	m.report.add("archive", finding.At(ObjectNotAccepted, object.PathText(path), expected, found))
}

// object reads one object of the archive, and adds its leaf. Known is nil if the ledger
// does not have it.
func (m *maker) object(e listing.Entry, known *ledger.Object) error {
	if e.Err == nil && known != nil && known.Wrong != "" {
		m.refuse(e.Path, "an object that is right, or was accepted", "one that is marked as "+known.Wrong)
		return nil
	}
	if e.Err == nil && known == nil {
		m.refuse(e.Path, "an object that the ledger has", "one that it has not")
		return nil
	}
	leaf, ok := m.readLeaf(e, m.ledger)
	if !ok {
		return nil
	}
	if found := m.ledger.Sum(nil); leaf.Size != known.Size || [sha256.Size]byte(found) != known.SHA256 {
		m.refuse(e.Path, fmt.Sprintf("%d octets with the SHA-256 %x", known.Size, known.SHA256[:8]),
			fmt.Sprintf("%d with %x", leaf.Size, found[:8]))
		return nil
	}
	_, err := m.leaves.Write(m.addLeaf(leaf))
	return err
}

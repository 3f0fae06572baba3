package partview

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// sortRoom is how many bytes of statements are sorted in memory.
const sortRoom = 16 << 20

// Repeated yields, ascending, the transactions that have events of a type under more
// than one sequence of a log.
func (v *View) Repeated(ctx context.Context, log facts.Log, eventType string) iter.Seq2[string, error] {
	return v.transactions(ctx, log, []string{eventType}, func(t *transaction, sequence uint64) bool {
		return sequence > t.first
	})
}

// Late yields, ascending, the transactions that have an event of one of the types behind the
// first event of lastType about them, in a log.
func (v *View) Late(ctx context.Context, log facts.Log, lastType string, types []string) iter.Seq2[string, error] {
	return v.transactions(ctx, log, append([]string{lastType}, types...), func(t *transaction, sequence uint64) bool {
		return t.last > 0 && sequence > t.last
	})
}

// transaction is a transaction, as far as the statements about it were read.
type transaction struct {
	id     string
	first  uint64 // the first sequence
	last   uint64 // the first sequence of the first type; 0 if there was none
	chosen bool
}

// transactions yields, ascending, the transactions with a statement that is chosen by its
// sequence. Of several types, the first one is not chosen.
func (v *View) transactions(ctx context.Context, log facts.Log, types []string,
	is func(t *transaction, sequence uint64) bool) iter.Seq2[string, error] {
	return evidence.Stream(func(yield func(string) error) (err error) {
		sorter := spool.NewSorter("", v.sortRoom)
		defer func() { err = cmp.Or(err, sorter.Close()) }()
		if err := v.sortStatements(ctx, log, types, sorter); err != nil {
			return err
		}
		var t transaction
		for record, err := range sorter.All() {
			if err != nil {
				return err
			}
			id, sequence, ofFirst := readSubject(record)
			if string(id) != t.id {
				t = transaction{id: string(id), first: sequence}
			}
			if !t.chosen && (!ofFirst || len(types) == 1) && is(&t, sequence) {
				if t.chosen, err = true, yield(t.id); err != nil {
					return err
				}
			}
			if ofFirst && t.last == 0 {
				t.last = sequence
			}
		}
		return nil
	})
}

// sortStatements adds the statements of a log that have one of the types to a sorter: the
// transaction, the sequence and the number of the type.
func (v *View) sortStatements(ctx context.Context, log facts.Log, types []string, to *spool.Sorter) error {
	var record []byte
	for s, err := range v.aboutTransactions(ctx, log, types) {
		if err != nil {
			return err
		}
		record = append(append(record[:0], s.TransactionID...), 0)
		record = append(binary.BigEndian.AppendUint64(record, s.Sequence), byte(slices.Index(types, s.Type)))
		if err := to.Add(record); err != nil {
			return err
		}
	}
	return nil
}

// readSubject reads what [View.sortStatements] made, and whether it is of the first type.
func readSubject(record []byte) (id []byte, sequence uint64, ofFirst bool) {
	const behind = 1 + 8 + 1
	n := len(record) - behind
	return record[:n], binary.BigEndian.Uint64(record[n+1:]), record[n+behind-1] == 0
}

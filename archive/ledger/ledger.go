package ledger

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

// Standing is how far the rows of a ledger can be believed.
type Standing string

// The standings.
const (
	Own     Standing = "own"     // written under this key, all of it
	Foreign Standing = "foreign" // written under another key
	Changed Standing = "altered" // under this key, and changed by something else since
)

// Secret is the secret of a user, as package userkey has it.
type Secret = [userkey.Size]byte

// mostValue bounds each value of a row, in bytes.
const mostValue = 1 << 20

// Ledger is an open ledger. It is used by one goroutine at a time.
type Ledger struct {
	path     string
	conn     *sqlite.Conn
	keys     *keys
	standing Standing
	fault    *AlteredError // why the standing is Changed
	state    state
	names    *names
	reader   entryCodec
}

// state is the row of that name, and the values that follow from the rows.
type state struct {
	keyID   []byte
	runs    int64
	newest  run.Digest
	began   int64
	sum     sum
	objects int64
	changes int64 // of the run that has no record
	nth     int64 // of the next change
}

// Open opens a ledger for reading, and reads all of it once. It answers from the state
// that the ledger had then, whatever is written to it meanwhile.
func Open(ctx context.Context, path string, secret Secret) (*Ledger, error) {
	path, err := guard.Resolve(path)
	if err != nil {
		return nil, err
	}
	if err := present(path); err != nil {
		return nil, err
	}
	l, err := open(ctx, path, secret, sqlite.ReadOnly)
	if errors.Is(err, sqlite.ErrHot) {
		if err = kind.Undo(path); err == nil {
			l, err = open(ctx, path, secret, sqlite.ReadOnly)
		}
	}
	return l, inFile(path, err)
}

// inFile names the ledger that an error is about. The words of the engine on a damaged file help none of its users.
func inFile(path string, err error) error {
	if errors.Is(err, sqlite.ErrDamaged) {
		err = ErrDamaged
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", safetext.Quote(path), err)
	}
	return err
}

// present returns an error unless there is a file that can be opened as a ledger.
func present(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", safetext.Quote(path), ErrMissing)
	}
	return kind.Identify(path)
}

// open opens a file that was identified. A reader keeps the transaction in which it
// checked the rows.
func open(ctx context.Context, path string, secret Secret, mode sqlite.Mode) (*Ledger, error) {
	k, err := newKeys(secret)
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.Open(path, mode)
	if err != nil {
		return nil, err
	}
	conn.LimitValues(mostValue)
	l := &Ledger{path: path, conn: conn, keys: k, names: newNames(conn), standing: Own}
	l.reader.names = l.names
	if err := l.begin(ctx, mode); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return l, nil
}

func (l *Ledger) begin(ctx context.Context, mode sqlite.Mode) error {
	if _, err := kind.Shape(l.conn); err != nil {
		return err
	}
	if mode != sqlite.ReadOnly {
		if err := kind.Migrate(l.conn); err != nil {
			return err
		}
		return l.conn.Snapshot(func() error { return l.stand(ctx) })
	}
	if err := l.conn.Exec("BEGIN"); err != nil {
		return err
	}
	return l.stand(ctx)
}

// Close closes the ledger. A second call does nothing.
func (l *Ledger) Close() error {
	if l.conn == nil {
		return nil
	}
	err := errors.Join(l.conn.Rollback(), l.conn.Close())
	l.conn = nil
	return err
}

// Path returns the absolute path of the ledger.
func (l *Ledger) Path() string { return l.path }

// Standing returns how far the ledger can be believed.
func (l *Ledger) Standing() Standing { return l.standing }

// Fault returns the alteration if the standing is Changed, else nil.
func (l *Ledger) Fault() *AlteredError { return l.fault }

// Newest returns the number and the digest of the newest record; 0 if there is none.
func (l *Ledger) Newest() (number int64, digest run.Digest) { return l.state.runs, l.state.newest }

// Interrupted returns when a run began that has no record, in milliseconds since 1970;
// 0 if there is none.
func (l *Ledger) Interrupted() int64 { return l.state.began }

// Len returns the number of objects.
func (l *Ledger) Len() int64 { return l.state.objects }

//go:embed schema/*.sql
var schemaFiles embed.FS

// The errors of files that cannot be used as a ledger. The file was not changed.
var (
	ErrNotLedger = errors.New("not a ledger of svc-verify")
	ErrForeign   = errors.New("not as svc-verify makes ledgers") // another schema, or settings
	ErrBusy      = errors.New("another process is writing to the ledger")
	ErrMissing   = errors.New("there is no ledger")
	ErrDamaged   = errors.New("the ledger is cut off or overwritten, and cannot be read: put its newest copy in " +
		"its place, or begin another with --ledger")
)

// kind distinguishes a ledger from other files.
var kind = guard.Kind{
	Name:          "ledger",
	ApplicationID: 0x7376634c, // "svcL"
	PageSize:      4 << 10,
	Steps:         guard.Steps(schemaFiles),
	ErrNot:        ErrNotLedger,
	ErrForeign:    ErrForeign,
	ErrBusy:       ErrBusy,
}

// AlteredError reports a ledger under the user's key whose rows were changed by
// something else. Its message is one sentence.
type AlteredError struct {
	Path   string // of the object concerned; "" if it is none
	Detail string // the mismatch
}

func (e *AlteredError) Error() string {
	if e.Path != "" {
		return fmt.Sprintf("the row of %s: %s", safetext.Quote(e.Path), e.Detail)
	}
	return e.Detail
}

func altered(format string, args ...any) error {
	return &AlteredError{Detail: fmt.Sprintf(format, args...)}
}

package sqlite

import "errors"

// ErrDamaged reports pages that do not form a b-tree.
var ErrDamaged = errors.New("damaged: the pages do not make a table")

// The kinds of pages that tables and indexes are made of, and their headers'
// sizes.
const (
	interiorPage, interiorIndex, interiorHeader = 0x05, 0x02, 12
	leafPage, leafIndex, leafHeader             = 0x0d, 0x0a, 8
)

// smallestPage is the smallest size that pages can have.
const smallestPage = 512

// mostLevels bounds the levels of a tree, as the engine itself does.
const mostLevels = 20

// notLocal is how many bytes of a page a record must leave free to stand in the
// page as a whole.
const notLocal = 35

// readPage has the engine hand out a page.
const readPage = "SELECT data FROM sqlite_dbpage WHERE pgno = ?"

// takePage returns a page by a statement of readPage. It is valid until the next
// one, or the statement is reset.
func takePage(s *Stmt, number uint32) ([]byte, error) {
	s.Reset()
	s.BindInt(0, int64(number))
	found, err := s.Step()
	if err != nil {
		return nil, err
	}
	page := s.Blob(0)
	if !found || len(page) < smallestPage {
		return nil, ErrDamaged
	}
	return page, nil
}

package userkey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

// The file with the heads, how many it has, its size, and how long a command waits for another one
// that writes it.
const (
	headsName = "case.heads"
	mostHeads = 256
	maxHeads  = mostHeads << 9
	lockTime  = 2 * time.Second
)

// Head is the newest entry of the journal of a case. Digests are hexadecimal.
type Head struct {
	Place  string `json:"place"` // a digest of the path of the case
	Case   string `json:"case"`  // the digest of the journal's first entry
	SHA256 string `json:"sha256"`
	Number int64  `json:"number"` // of the entry; 0 for none
}

// Heads returns the heads that the user's commands kept, the newest last.
func Heads() ([]Head, error) {
	dir, err := ownDirectory()
	if err != nil {
		return nil, err
	}
	return readHeads(filepath.Join(dir, headsName))
}

// KeepHead keeps a head instead of the one of the same place. The oldest of too many is forgotten,
// and one with the number 0 is not kept.
func KeepHead(head Head) (err error) {
	dir, err := ownDirectory()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, headsName)
	lock := flock.New(path + ".lock")
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, time.Millisecond); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	all, err := readHeads(path)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(h Head) bool { return h.Place == head.Place })
	if head.Number > 0 {
		all = append(all, head)
	}
	doc, err := json.Marshal(all[max(0, len(all)-mostHeads):])
	if err != nil {
		return err
	}
	return writeAside(dir, path, doc, os.Rename)
}

func readHeads(path string) (all []Head, err error) {
	doc, err := readOwn(path, maxHeads)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(doc) == 0 { // as a crash of the machine can leave it
		return nil, nil
	}
	if err == nil && json.Unmarshal(doc, &all) != nil {
		err = fmt.Errorf("%s has another form: remove it", path)
	}
	return all, err
}

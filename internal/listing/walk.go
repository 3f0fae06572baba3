package listing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
)

// facts contains the facts about a name that are known without opening it.
type facts struct {
	size, modified int64
	mode           fs.FileMode // its type alone, 32 bits
}

// errStop ends a walk whose caller wants no more.
var errStop = errors.New("enough")

// All yields every object below the folder, in the ascending order of the bytes of whole
// paths. A name that cannot be listed is an entry with an error. An error alongside an entry
// is an error of the walk, from the folder itself or from the context, and the last thing that
// it yields. It can be used more than once.
//
// It uses memory for the names of the folders that lead to one entry, and of everything in
// them.
func (r *Root) All(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		w := &walk{ctx: ctx, yield: func(e Entry) error {
			if !yield(e, nil) {
				return errStop
			}
			return nil
		}}
		top, err := r.top.OpenRoot(".")
		if err == nil {
			err = w.walkFolder(top, "", 0)
		}
		var inside *folderFault
		if errors.As(err, &inside) {
			err = inside.err
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(Entry{}, err)
		}
	}
}

// walk is one walk through an archive.
type walk struct {
	ctx   context.Context
	yield func(Entry) error
}

// folderFault is an error of one folder, and not of the walk.
type folderFault struct{ err error }

func (f *folderFault) Error() string { return f.err.Error() }
func (f *folderFault) Unwrap() error { return f.err }

// walkFolder lists a folder, and closes it.
func (w *walk) walkFolder(d *os.Root, path string, depth int) error {
	list, err := w.readFolder(d)
	if err != nil {
		return errors.Join(err, d.Close())
	}
	for i := range list.all {
		if err := w.yieldEntry(d, path, list, i, depth); err != nil {
			return errors.Join(err, d.Close())
		}
	}
	return d.Close()
}

// atOnce is how many names are read of a folder at once.
const atOnce = 1024

// readFolder reads all names of a folder, and the facts about them.
func (w *walk) readFolder(d *os.Root) (*names, error) {
	list := &names{}
	dir, err := d.Open(".")
	if err != nil {
		return nil, &folderFault{Plain(err)}
	}
	defer func() { _ = dir.Close() }() // it was only read
	for {
		some, err := dir.Readdirnames(atOnce)
		for _, name := range some {
			info, fault := d.Lstat(name)
			list.addName(name, info, fault)
		}
		if errors.Is(err, io.EOF) || err == nil && len(some) == 0 {
			list.sortByPath()
			return list, nil
		}
		if err == nil && len(list.texts) > mostNames {
			err = ErrMany
		}
		if err != nil {
			return nil, &folderFault{Plain(err)}
		}
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// yieldEntry yields the entries for one name of a folder.
func (w *walk) yieldEntry(d *os.Root, path string, list *names, i, depth int) error {
	name := &list.all[i]
	whole := path + list.nameText(name)
	if name.mode != fs.ModeDir {
		e := Entry{Path: whole, Size: name.size, Modified: name.modified}
		if name.fault > 0 {
			e.Err = list.faults[name.fault-1]
		}
		if e.Err == nil {
			e.Err = kindFault(name.mode)
		}
		if e.Err == nil && len(whole) > MaxPath {
			e.Err = ErrLong
		}
		return w.yield(e)
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	err := w.walkBelow(d, list.nameText(name), whole+"/", depth+1)
	var fault *folderFault
	if errors.As(err, &fault) {
		return w.yield(Entry{Path: whole + "/", Err: fault.err})
	}
	return err
}

// walkBelow lists a folder in a folder. A [folderFault] means that nothing of it was
// yielded.
func (w *walk) walkBelow(d *os.Root, name, path string, depth int) error {
	switch {
	case depth > maxDepth:
		return &folderFault{ErrDeep}
	case len(path) > MaxPath:
		return &folderFault{ErrLong}
	}
	inner, err := openFolder(d, name)
	if err != nil {
		return &folderFault{Plain(err)}
	}
	return w.walkFolder(inner, path, depth)
}

// names are the names of one folder. Their texts are kept together, which needs half the
// memory of so many strings.
type names struct {
	texts  []byte
	all    []name
	faults []error // of those that could not be looked at
}

// name is one of them, in 32 bytes.
type name struct {
	facts
	at     uint32 // of its text
	fault  int32  // the number of its fault, from 1; 0 for none
	length uint16 // of its text
}

// nameOctets returns the bytes of a name.
func (n *names) nameOctets(one *name) []byte { return n.texts[one.at:][:one.length] }

func (n *names) nameText(one *name) string { return string(n.nameOctets(one)) }

func (n *names) addName(text string, info fs.FileInfo, fault error) {
	// #nosec G115 -- a name has at most 255 characters, and no folder has so many names
	one := name{at: uint32(len(n.texts)), length: uint16(len(text))}
	n.texts = append(n.texts, text...)
	if fault == nil {
		one.facts = facts{info.Size(), info.ModTime().UnixNano(), info.Mode().Type()}
	} else {
		n.faults = append(n.faults, Plain(fault))
		one.fault = int32(len(n.faults)) // #nosec G115 -- no folder has so many names
	}
	n.all = append(n.all, one)
}

// sortByPath brings the names into the order of the whole paths that begin with them: a
// folder is where its name and a slash do.
func (n *names) sortByPath() {
	slices.SortFunc(n.all, func(a, b name) int {
		x, y := n.nameOctets(&a), n.nameOctets(&b)
		common := min(len(x), len(y))
		if c := bytes.Compare(x[:common], y[:common]); c != 0 {
			return c
		}
		return cmp.Compare(byteAfter(x, common, a.mode), byteAfter(y, common, b.mode))
	})
}

// byteAfter is the byte that follows the first n of a path that begins with a name; -1
// if the path ends there.
func byteAfter(name []byte, n int, mode fs.FileMode) int {
	switch {
	case n < len(name):
		return int(name[n])
	case mode == fs.ModeDir:
		return '/'
	}
	return -1
}

package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"regexp"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Inventory has the digests of all objects of a seal under the hash of each chain. It
// must come from [ReadData] or [ReadLists].
type Inventory struct {
	Objects, Bytes int64

	hashes  []timestamp.Hash
	digests [][]seal.Digest // of each chain, in the order of paths
	// lists are the digests of the lists of leaves from the second chain on, under the hash
	// of their chain and of each later one: the lists are objects of the record too.
	lists [][]seal.Digest
	files [][]hash.Hash
	line  []byte
}

// LeavesSuffix returns the suffix of a list of leaves under the hash of a chain, behind the
// name of the seal. The first chain is 1.
func LeavesSuffix(chain int) string {
	if chain == 1 {
		return ".leaves"
	}
	return fmt.Sprintf(".leaves-%d", chain)
}

// companion matches the names of files that belong to a seal or a proof.
var companion = regexp.MustCompile(`\.er$|\.leaves(-[0-9]+)?$`)

// IsCompanion reports whether a name is one that [Companions] can return.
func IsCompanion(name string) bool { return companion.MatchString(name) }

// Companions returns the names of the files that belong to a seal or a proof (SPEC 17.10), as far as they exist.
func Companions(name string, exists func(string) bool) (all []string) {
	add := func(suffix string) bool {
		there := exists(name + suffix)
		if there {
			all = append(all, name+suffix)
		}
		return there
	}
	add(".er")
	add(".seal.er")
	for chain := 1; add(LeavesSuffix(chain)); chain++ {
	}
	return all
}

func newInventory(hashes []timestamp.Hash) *Inventory {
	v := &Inventory{hashes: hashes, digests: make([][]seal.Digest, len(hashes)), files: make([][]hash.Hash, len(hashes))}
	for c := 1; c < len(hashes); c++ {
		for _, h := range hashes[c:] {
			v.files[c] = append(v.files[c], h.New())
		}
	}
	return v
}

// addObject adds an object, which has a leaf under the hash of each chain, and returns the
// line of the last one.
func (v *Inventory) addObject(leaves []seal.Leaf) []byte {
	v.Objects, v.Bytes = v.Objects+1, v.Bytes+leaves[0].Size
	for c := range leaves {
		v.digests[c] = append(v.digests[c], leaves[c].Digest)
		if c == 0 && len(leaves) > 1 {
			continue // the seal binds the first list
		}
		v.line = append(leaves[c].Append(v.line[:0]), '\n')
		for _, f := range v.files[c] {
			f.Write(v.line)
		}
	}
	return v.line
}

// sumLists computes the digests of the lists, which are whole.
func (v *Inventory) sumLists() *Inventory {
	for _, files := range v.files {
		var sums []seal.Digest
		for _, f := range files {
			sums = append(sums, seal.Digest(f.Sum(nil)))
		}
		v.lists = append(v.lists, sums)
	}
	return v
}

// Data is the archive that a seal is over.
type Data struct {
	Archive *listing.Root
	// Leaves is the list of the sealed leaves. Only their paths count: an archive may have got
	// more objects since. Without it, all objects are the data.
	Leaves io.Reader
	// Progress is called after each object. It can be nil.
	Progress func(objects, bytes int64)
}

// ReadData reads every byte of the data once, and returns the inventory under the hashes of
// some chains. The list of leaves under the last hash is written to list, which can be nil. An
// error names the object that could not be read.
func ReadData(ctx context.Context, d Data, hashes []timestamp.Hash, list io.Writer) (v *Inventory, err error) {
	v = newInventory(hashes)
	sums := make([]hash.Hash, len(hashes))
	for i, h := range hashes {
		sums[i] = h.New()
	}
	reader := seal.NewReader(d.Archive)
	defer func() { err = errors.Join(err, reader.Close()) }()
	leaves := make([]seal.Leaf, len(hashes))
	for path, err := range d.paths(ctx) {
		if err != nil {
			return nil, err
		}
		leaf, err := reader.Leaf(path, sums...)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", safetext.Quote(object.PathText(path)), err)
		}
		for i := range hashes {
			leaves[i] = seal.Leaf{Path: path, Size: leaf.Size, Digest: seal.Digest(sums[i].Sum(nil))}
		}
		line := v.addObject(leaves)
		if list != nil {
			if _, err := list.Write(line); err != nil {
				return nil, err
			}
		}
		if d.Progress != nil {
			d.Progress(v.Objects, v.Bytes)
		}
	}
	return v.sumLists(), nil
}

// paths yields the paths of the data in ascending order.
func (d Data) paths(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if d.Leaves == nil {
			for e, err := range d.Archive.All(ctx) {
				if err == nil && e.Err != nil {
					err = fmt.Errorf("reading %s: %w", safetext.Quote(object.PathText(e.Path)), e.Err)
				}
				if !yield(e.Path, err) || err != nil {
					return
				}
			}
			return
		}
		for l, err := range seal.ReadLeaves(d.Leaves).All() {
			if err = errors.Join(err, ctx.Err()); err != nil {
				err = fmt.Errorf("the list of leaves: %w", err)
			}
			if !yield(l.Path, err) || err != nil {
				return
			}
		}
	}
}

// ReadLists returns the inventory that lists of leaves have: one for each chain, of the
// same objects. The error is a [timestamp.Fault] if they differ, a [seal.LeavesError], or one of
// reading.
func ReadLists(hashes []timestamp.Hash, lists []io.Reader) (*Inventory, error) {
	v := newInventory(hashes)
	leaves, readers := make([]seal.Leaf, len(lists)), make([]*seal.Leaves, len(lists))
	for i, r := range lists {
		readers[i] = seal.ReadLeaves(r)
	}
	for {
		ended := 0
		for i, r := range readers {
			var err error
			if leaves[i], err = r.Next(); errors.Is(err, io.EOF) {
				ended++
			} else if err != nil {
				return nil, err
			}
		}
		if ended == len(lists) {
			return v.sumLists(), nil
		}
		for i := range leaves {
			if ended > 0 || leaves[i].Path != leaves[0].Path || leaves[i].Size != leaves[0].Size {
				return nil, malformed(LeavesSuffix(i+1), "a list of the same objects as the first", "others")
			}
		}
		v.addObject(leaves)
	}
}

// Compare returns a finding unless a list of leaves, under the hash of a chain from the second
// on, matches the inventory. An error is one of reading.
func (v *Inventory) Compare(chain int, list io.Reader) (*finding.InDocument, error) {
	sum := v.hashes[chain-1].New()
	if _, err := io.Copy(sum, list); err != nil {
		return nil, err
	}
	if bytes.Equal(sum.Sum(nil), v.lists[chain-1][0][:]) {
		return nil, nil
	}
	return &finding.InDocument{Code: seal.SealRoot, Path: LeavesSuffix(chain), Expected: "the list of leaves of the data",
		Found: "another"}, nil
}

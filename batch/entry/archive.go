package entry

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/svc-edge/svc-verify/internal/access"
)

// maxDepth is how deep archives are in one another.
const maxDepth = 2

// whole is the content from its beginning.
func (c *content) whole() io.Reader {
	head := c.head
	c.head = nil
	return io.MultiReader(bytes.NewReader(head), &rest{c})
}

// member is the place of a member of the archive that the content is.
func (c *content) member(name string) where {
	if name == "" {
		name = `""`
	}
	full := c.at.name + "!" + name
	at := where{name: c.names.unique(full), place: c.at.place, matched: path.Clean(name), depth: c.at.depth + 1}
	if at.place.Entry != "" {
		at.place.Entry += "!"
	}
	at.place.Entry += name + at.name[len(full):]
	return at
}

// broken yields the content as an entry that cannot be read, whatever the patterns
// are: there can be entries in it.
func (c *content) broken(why error) error {
	at := c.at
	at.matched = ""
	return c.emit(at, Entry{Size: -1, Err: why})
}

// members yields the entries of an archive's member, and reports whether the archive
// can be read on. It cannot if its own octets end within the member.
func (c *content) members(at where, size int64, r io.Reader) (more bool, err error) {
	in := &content{walk: c.walk, at: at, size: size, r: r}
	before := c.counts.LeftOut
	if err := in.examine(); err != nil {
		return false, err
	}
	failed := in.failed()
	if failed != nil && c.counts.LeftOut > before { // and so it was not said
		return false, c.broken(failed)
	}
	return failed == nil, nil
}

// tooMany is the fault of an archive with more members than the limit.
func (c *content) tooMany() error {
	return fmt.Errorf("expected at most %d members, found more: the others are not read", c.source.Limits.Members)
}

// onlyZeros reads r to its end, and returns an error if there is anything but zeros.
func (c *content) onlyZeros(r io.Reader) error {
	b := make([]byte, 32<<10)
	for c.ctx.Err() == nil {
		n, err := r.Read(b)
		if len(bytes.Trim(b[:n], "\x00")) > 0 {
			return errors.New("there is more behind the end of the archive, such as another archive")
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return access.WithoutPath(err)
		}
	}
	return c.ctx.Err()
}

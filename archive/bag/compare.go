package bag

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// complete compares the files of the bag with its manifests.
func (c *checker) complete() {
	every := uint32(0) // the payload manifests
	for i, m := range c.manifests {
		if !m.tags {
			every |= 1 << i
		}
	}
	loose := int64(0)
	for _, name := range c.names() {
		f := c.files[name]
		payload := strings.HasPrefix(name, payloadFolder)
		switch {
		case payload && f.there && f.lists == 0:
			c.say(Unlisted, name, 0, "")
		case payload && f.lists != every && (c.declared.version != "0.97" || f.lists == 0):
			c.say(Unlisted, name, 0, "it is not in every payload manifest")
		case !f.there && f.hole:
			c.say(Hole, name, 0, "")
		case !f.there && c.unread:
			c.say(Unreadable, name, 0, "it is listed, and was not found in what could be read")
		case !f.there:
			c.say(Missing, name, 0, "")
		case !payload && f.lists == 0 && !strings.HasPrefix(name, "tagmanifest-"):
			loose++
		}
	}
	if loose > 0 {
		c.result.NotExamined = append(c.result.NotExamined, fmt.Sprintf(
			"%s in no tag manifest: they can have any octets.", safetext.Count(loose, "tag file")))
	}
}

// compare reads every file that is listed, and compares its digests.
func (c *checker) compare(ctx context.Context) error {
	read := int64(0)
	for _, name := range c.names() {
		f := c.files[name]
		if f.open == nil {
			continue
		}
		if c.options.Progress != nil {
			c.options.Progress(name, read)
		}
		read++
		if err := c.compareFile(ctx, name, f); err != nil {
			return err
		}
	}
	return nil
}

// compareFile reads one file, up to one byte beyond its listed size: a longer file was altered
// since then.
func (c *checker) compareFile(ctx context.Context, name string, f *file) (err error) {
	payload := strings.HasPrefix(name, payloadFolder)
	if !payload && f.lists == 0 {
		return nil
	}
	if payload && !c.withinOxum(name, f) {
		return nil
	}
	o, err := f.open()
	if err != nil {
		c.say(Unreadable, name, 0, "%s", safetext.Line(err.Error()))
		return nil
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	sums := newSums(f)
	whole := payload && c.files[RunsName] != nil
	if whole || payload && c.options.Judge != nil {
		sums[ofSHA256] = sha256.New()
	}
	if whole {
		sums[ofSHA512] = sha512.New()
	}
	n, err := io.CopyBuffer(sums, listing.Cancellable(ctx, io.NewSectionReader(o, 0, f.size+1)), c.buffer)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.say(Unreadable, name, 0, "%s", safetext.Line(err.Error()))
		return nil
	}
	if f.size = n; payload {
		c.result.Payload.Files++
		c.readOctets += n
		c.countOctets(n)
	}
	wrong := sums.wrong(f)
	switch {
	case wrong != "":
		c.say(Altered, name, 0, "%s", wrong)
	case payload && f.lists != 0:
		c.result.Payload.Intact++
		if whole {
			f.digests = &Digest{Size: n}
			sums[ofSHA256].Sum(f.digests.SHA256[:0])
			sums[ofSHA512].Sum(f.digests.SHA512[:0])
		}
		return c.judge(ctx, name, o, n, sums)
	case !payload:
		c.result.TagFiles++
	}
	return nil
}

// withinOxum reports whether a file of the payload is to be read. The bag states the size of
// the payload, and a file that is larger need not be read to be wrong. Of all files, twice as
// much is read as the bag states, so that a payload that grew is still compared.
func (c *checker) withinOxum(name string, f *file) bool {
	said, n, ok := c.said()
	if n != 1 || !ok {
		return true
	}
	if f.size <= said.octets && c.readOctets-said.octets <= said.octets-f.size {
		return true
	}
	c.result.Payload.Files++
	c.countOctets(f.size)
	code, why := Malformed, "and with the files before it, more than twice as much"
	if f.size > said.octets {
		code, why = Altered, "which is more than all of the payload"
	}
	c.say(code, name, 0, "it was not read: it has %d octets, %s as Payload-Oxum says (%d)", f.size, why, said.octets)
	return false
}

// countOctets counts bytes of the payload, up to the largest number that JSON can state: files
// that were never written can have more.
func (c *checker) countOctets(n int64) {
	p := &c.result.Payload
	p.Octets += min(n, form.MaxInt-p.Octets)
}

// said returns the Payload-Oxum of bag-info.txt, and how often it is there.
func (c *checker) said() (said oxum, n int, ok bool) {
	for _, t := range c.result.Info {
		if strings.EqualFold(t.Label, "Payload-Oxum") {
			said, ok = parseOxum(t.Value)
			n++
		}
	}
	return said, n, ok
}

// count compares the payload with the Payload-Oxum of bag-info.txt.
func (c *checker) count() {
	p := c.result.Payload
	if p.Files == 0 {
		c.say(Empty, "", 0, "")
	}
	said, n, ok := c.said()
	found := oxum{p.Octets, p.Files}
	switch {
	case n > 1 || n == 1 && !ok:
		c.say(Malformed, infoName, 0, "Payload-Oxum must be there once, as octets.files")
	case n == 1 && said != found && !slices.ContainsFunc(c.found.all, leavesOut):
		c.say(Malformed, infoName, 0, "Payload-Oxum says %s, and there are %s", said, found)
	case n == 0:
		c.result.NotExamined = append(c.result.NotExamined, "The bag does not say how large its payload is (Payload-Oxum).")
	}
	for _, name := range c.names() {
		if strings.HasPrefix(name, payloadFolder) && c.files[name].there {
			c.result.files = append(c.result.files, object.PathText(name))
		}
	}
}

// leavesOut reports whether a finding explains that not all of the payload was read.
func leavesOut(f finding.InDocument) bool {
	return f.Code == Hole || f.Code == Unreadable || f.Code == Unsupported
}

// names returns all names, in ascending order. Names are only ever added.
func (c *checker) names() []string {
	if len(c.sorted) != len(c.files) {
		c.sorted = slices.Sorted(maps.Keys(c.files))
	}
	return c.sorted
}

// collide looks for names that a file system may take for one, or for the name of a part.
func (c *checker) collide() {
	for _, name := range c.names() {
		for _, part := range []string{RunsName, ObjectsName, ChangesName, PremisName, TrustFolder, SealsFolder} {
			start := name[:min(len(name), len(part))]
			if strings.EqualFold(start, part) && start != part && (start == name || strings.HasSuffix(part, "/")) {
				c.say(Name, name, 0, "some systems take it for %s", part)
			}
		}
	}
	for _, clash := range collisions(c.names()) {
		c.say(Name, clash.second, 0, "some systems take it for %s", safetext.Quote(clash.first))
	}
}

// sums are the digests of one file, by the requested algorithms.
type sums [4]hash.Hash

// The places of two algorithms.
const ofSHA512, ofSHA256 = 0, 1

// newSums returns the sums that a file has digests of.
func newSums(f *file) *sums {
	var s sums
	for i, digest := range f.digest {
		if digest != "" {
			s[i] = algorithms[i].make()
		}
	}
	return &s
}

// Write implements io.Writer.
func (s *sums) Write(p []byte) (int, error) {
	for _, h := range s {
		if h != nil {
			_, _ = h.Write(p) // never returns an error
		}
	}
	return len(p), nil
}

// wrong returns which digest the file does not have, "" if it has all.
func (s *sums) wrong(f *file) string {
	for i, h := range s {
		if h == nil || f.digest[i] == "" {
			continue
		}
		if found := h.Sum(nil); string(found) != f.digest[i] {
			return fmt.Sprintf("expected %s %x, found %x", algorithms[i].name, f.digest[i], found)
		}
	}
	return ""
}

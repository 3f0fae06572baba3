package bag

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Options configure the check of a bag. The zero value checks the bag alone.
type Options struct {
	Place string // the bag as its user calls it, for reports
	// Judge verifies the objects of the payload; nil if they are not to be.
	Judge *object.Judge
	// Progress is called before each file is read, with its name and the number of files
	// before it.
	Progress func(name string, files int64)
	// strict is for a bag that is being made: a file next to the seals that belongs to none is a finding. That there
	// is no trust file, no seal, or no history, is known.
	strict bool
}

// CheckFolder checks a bag in a folder. Nothing in it is written. An error is none of
// the bag: the folder could not be opened, or ctx was done.
func CheckFolder(ctx context.Context, dir string, o Options) (r *Result, err error) {
	root, err := listing.Open(dir)
	if err != nil {
		return nil, err
	}
	reader := root.Reader()
	defer func() { err = errors.Join(err, reader.Close(), root.Close()) }()
	return check(ctx, folder{root, reader}, o)
}

// CheckTar checks a bag in a tar archive of size bytes, without unpacking it.
func CheckTar(ctx context.Context, r io.ReaderAt, size int64, o Options) (*Result, error) {
	return check(ctx, tape{r, size}, o)
}

// checker is a check under way.
type checker struct {
	options Options
	source  source
	result  Result
	found   Found

	buffer     []byte // that files are read through
	files      map[string]*file
	sorted     []string // their names, as far as they were asked for
	manifests  []*manifest
	fetch      []listed
	fetched    bool         // there is a fetch.txt
	declared   *declaration // nil if it could not be read
	unread     bool         // something may be there that was not listed
	readOctets int64        // of the payload
	unknown    int64        // manifests of algorithms that are not known
}

// file is a name of the bag: of a file that is there, or that is listed.
type file struct {
	there   bool
	size    int64
	lists   uint32                 // the manifests that list it, one bit each
	digest  [4]string              // by algorithm, "" if no manifest has it
	hole    bool                   // fetch.txt has it
	open    func() (octets, error) // nil if it is not to be read
	digests *Digest                // of an intact object, if the parts are compared
	seen    string                 // the last part that names it
}

// manifest is a manifest as it was read. Its lines wait for the version of the bag, which
// decides how names are written.
type manifest struct {
	name      string
	tags      bool // a tag manifest
	algorithm int  // in algorithms
	lines     []listed
}

func check(ctx context.Context, s source, o Options) (*Result, error) {
	c := &checker{options: o, source: s, files: map[string]*file{}, buffer: make([]byte, 64<<10)}
	c.result = Result{Schema: ResultSchema,
		place: o.Place, NotExamined: []string{}, Algorithms: []string{}, Info: []Tag{}}
	if err := c.list(ctx); err != nil {
		return nil, err
	}
	if o.Judge == nil && !o.strict {
		c.result.NotExamined = append(c.result.NotExamined, "The evidence in the bag: no trust file was given.")
	}
	if c.understood() {
		c.enter()
		c.complete()
		if err := c.compare(ctx); err != nil {
			return nil, err
		}
		c.count()
		if err := c.compareParts(ctx); err != nil {
			return nil, err
		}
	}
	if c.collide(); o.Judge != nil {
		if err := o.Judge.Err(); err != nil {
			return nil, err
		}
		c.evidence().conclude(o.Judge)
	}
	c.result.conclude(&c.found)
	r := c.result // without the data that only the check needs
	return &r, nil
}

// say adds a finding.
func (c *checker) say(code finding.Code, name string, line int, format string, args ...any) {
	c.found.Say(code, name, line, fmt.Sprintf(format, args...))
}

// list reads the names of all files, and the tag files that the standard defines.
func (c *checker) list(ctx context.Context) error {
	for m, err := range c.source.members(ctx) {
		if err != nil {
			return err
		}
		if len(c.files) == maxFiles {
			c.say(Unsupported, "", 0, "more than %d files", maxFiles)
			c.unread = true
			return nil
		}
		if m.err != nil {
			c.unread = c.unread || m.name == "" || m.code != Malformed && m.code != Name
			c.say(m.code, m.name, 0, "%s", safetext.Line(m.err.Error()))
			if m.code != Unreadable || m.name == "" || strings.HasSuffix(m.name, "/") {
				continue
			}
		}
		if why := nameFault(m.name); why != "" {
			c.say(Name, m.name, 0, "%s", why)
			continue
		}
		if c.files[m.name] != nil {
			c.say(Malformed, m.name, 0, "the archive has it twice")
			continue
		}
		c.files[m.name] = &file{there: true, size: m.size}
		if m.err != nil {
			continue
		}
		if c.files[m.name].open = m.open; !strings.Contains(m.name, "/") {
			c.tagFile(m)
		}
	}
	return nil
}

// tagFile reads a tag file that the standard defines, and leaves others alone.
func (c *checker) tagFile(m member) {
	most := int64(maxTag)
	var read func(io.Reader) error
	switch {
	case m.name == declarationName:
		read = c.readDeclaration
	case m.name == infoName:
		read = func(r io.Reader) (err error) { c.result.Info, err = readInfo(r); return err }
	case m.name == fetchName:
		most, c.fetched = maxManifest, true
		read = func(r io.Reader) error { return readFetch(r, func(l listed) { c.fetch = append(c.fetch, l) }) }
	case isManifest(m.name):
		most = maxManifest
		read = func(r io.Reader) error { return c.readManifest(m.name, r) }
	default:
		return
	}
	if m.size > most {
		c.say(Unsupported, m.name, 0, "%d octets, of at most %d", m.size, most)
		return
	}
	o, err := m.open()
	if err == nil {
		err = read(io.NewSectionReader(o, 0, most))
		err = errors.Join(err, o.Close())
	}
	var fault *lineError
	switch {
	case errors.As(err, &fault):
		c.say(Malformed, m.name, fault.line, "%s", fault)
	case err != nil:
		c.say(Unreadable, m.name, 0, "%s", safetext.Line(err.Error()))
	}
}

func (c *checker) readDeclaration(r io.Reader) (err error) {
	if c.declared, err = readDeclaration(r); err == nil {
		c.result.Version = c.declared.version
	}
	return err
}

// readManifest reads the lines of a manifest. One of an algorithm that is not known
// is not examined.
func (c *checker) readManifest(name string, r io.Reader) error {
	kind, rest, _ := strings.Cut(strings.TrimSuffix(name, ".txt"), "-")
	m := &manifest{name: name, tags: kind == "tagmanifest",
		algorithm: slices.IndexFunc(algorithms, func(a algorithm) bool { return a.name == rest })}
	if m.algorithm < 0 || len(c.manifests) == maxLists {
		c.unknown++
		return nil
	}
	c.manifests = append(c.manifests, m)
	return readManifest(r, algorithms[m.algorithm], func(l listed) { m.lines = append(m.lines, l) })
}

// understood reports whether the bag is of a kind that is read. If it is none that is read,
// nothing else is examined.
func (c *checker) understood() bool {
	payload := slices.ContainsFunc(c.manifests, func(m *manifest) bool { return !m.tags })
	d := c.declared
	if c.unknown > 0 {
		c.result.NotExamined = append(c.result.NotExamined,
			safetext.Count(c.unknown, "manifest")+" of algorithms that are not known.")
	}
	switch {
	case d == nil && c.files[declarationName] == nil:
		c.say(Malformed, declarationName, 0, "it is not there, so this is no bag")
	case d == nil: // and it is said why
	case d.version != "1.0" && d.version != "0.97":
		c.say(Unsupported, declarationName, 1, "version %s", safetext.Quote(d.version))
	case !strings.EqualFold(d.encoding, "UTF-8"):
		c.say(Unsupported, declarationName, 2, "tag files in %s", safetext.Quote(d.encoding))
	case !payload && c.unknown > 0:
		c.say(Unsupported, "", 0, "no manifest of a known algorithm")
	case !payload:
		c.say(Malformed, "", 0, "it has no payload manifest")
	default:
		return true
	}
	c.result.NotExamined = append(c.result.NotExamined, "The files of the bag were not compared with any digest.")
	return false
}

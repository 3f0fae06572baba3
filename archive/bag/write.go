package bag

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/listing"
)

// temporary is how the name of a folder begins whose bag is not whole.
const temporary = ".svc-verify-temporary-"

// Writer writes a bag of version 1.0 into a temporary folder, which is renamed when the bag is
// whole. It must come from [Create], and only one goroutine may use it.
type Writer struct {
	out, aside string
	root       *os.Root
	last       string // the folder that was made last
	buffer     []byte // that files are copied through
	payload    oxum
	manifest   *bufio.Writer
	file       *os.File  // the manifest
	sum        hash.Hash // of the manifest
	tags       []listed
}

// Create begins a bag. Nothing that has its name is ever replaced: see [Writer.Commit].
func Create(out string) (*Writer, error) {
	aside := filepath.Join(filepath.Dir(out), temporary+rand.Text())
	err := os.Mkdir(aside, 0o777) // #nosec G301 -- a bag is as readable as its user wants new files to be
	if err != nil {
		return nil, err
	}
	w := &Writer{out: out, aside: aside, sum: sha512.New(), buffer: make([]byte, 64<<10)}
	if w.root, err = os.OpenRoot(aside); err == nil {
		err = w.root.Mkdir("data", 0o777)
	}
	if err == nil {
		w.file, err = w.root.Create("manifest-sha512.txt")
	}
	if err != nil {
		return nil, errors.Join(err, w.Discard())
	}
	w.manifest = bufio.NewWriterSize(io.MultiWriter(w.file, w.sum), 1<<16)
	return w, nil
}

// Digest is the size of a file and its digests when it was copied.
type Digest struct {
	Size   int64
	SHA256 [sha256.Size]byte
	SHA512 [sha512.Size]byte
}

// Add copies an object into the payload, and returns its digests. Objects are added
// in the order of their paths, each once. The path is one that [Refused] has nothing
// against.
func (w *Writer) Add(path string, r io.Reader) (Digest, error) {
	if why := pathFault(payloadFolder + path); why != "" {
		return Digest{}, errors.New(why)
	}
	d, err := w.writeFile(payloadFolder+path, func(out io.Writer) error {
		// A reader that can copy itself would do it through a buffer of its own.
		_, err := io.CopyBuffer(out, struct{ io.Reader }{r}, w.buffer)
		return err
	})
	if err != nil {
		return d, err
	}
	w.payload.files++
	w.payload.octets += d.Size
	return d, writeLine(w.manifest, d.SHA512[:], payloadFolder+path)
}

// AddTag writes a tag file into the bag. Its name is none that the standard defines.
func (w *Writer) AddTag(name string, write func(io.Writer) error) error {
	if why := pathFault(name); why != "" {
		return errors.New(why)
	}
	if strings.HasPrefix(name, payloadFolder) || name == declarationName || name == infoName || name == fetchName ||
		isManifest(name) {
		return errors.New("it is a name of the standard")
	}
	return w.writeTag(name, write)
}

func (w *Writer) writeTag(name string, write func(io.Writer) error) error {
	d, err := w.writeFile(name, func(out io.Writer) error {
		buffered := bufio.NewWriter(out)
		return errors.Join(write(buffered), buffered.Flush())
	})
	w.tags = append(w.tags, listed{digest: string(d.SHA512[:]), name: name})
	return err
}

// writeFile writes a file that is not there yet, and returns its digests.
func (w *Writer) writeFile(name string, write func(io.Writer) error) (d Digest, err error) {
	if folder := path.Dir(name); folder != "." && folder != w.last {
		if err := w.root.MkdirAll(folder, 0o777); err != nil {
			return d, err
		}
		w.last = folder
	}
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return d, err
	}
	s256, s512 := sha256.New(), sha512.New()
	if err = write(io.MultiWriter(f, s256, s512)); err == nil {
		d.Size, err = f.Seek(0, io.SeekCurrent)
	}
	s256.Sum(d.SHA256[:0])
	s512.Sum(d.SHA512[:0])
	return d, errors.Join(err, f.Close())
}

// Refused returns why objects of some paths cannot be in one bag, by path; it is empty if
// they can.
func Refused(paths []string) map[string]string {
	refused := map[string]string{}
	for _, p := range paths {
		if why := pathFault(payloadFolder + p); why != "" {
			refused[p] = why
		}
	}
	for _, c := range collisions(paths) {
		refused[c.second] = fmt.Sprintf("some file systems take it for %q", c.first)
	}
	return refused
}

// Finish completes the bag with the tags of bag-info.txt besides the size of the payload. The
// bag is then whole, but still aside: see [Writer.Commit].
func (w *Writer) Finish(info []Tag) error {
	if err := errors.Join(w.manifest.Flush(), w.file.Close()); err != nil {
		return err
	}
	w.tags = append(w.tags, listed{digest: string(w.sum.Sum(nil)), name: "manifest-sha512.txt"})
	declared := []Tag{{"BagIt-Version", "1.0"}, {"Tag-File-Character-Encoding", "UTF-8"}}
	info = append(slices.Clone(info), Tag{"Payload-Oxum", w.payload.String()})
	err := errors.Join(
		w.writeTag(declarationName, func(out io.Writer) error { return writeInfo(out, declared) }),
		w.writeTag(infoName, func(out io.Writer) error { return writeInfo(out, info) }))
	if err != nil {
		return err
	}
	slices.SortFunc(w.tags, func(a, b listed) int { return strings.Compare(a.name, b.name) })
	_, err = w.writeFile("tagmanifest-sha512.txt", func(out io.Writer) (err error) {
		for _, t := range w.tags {
			err = errors.Join(err, writeLine(out, []byte(t.digest), t.name))
		}
		return err
	})
	return err
}

// CompareParts checks the bag after [Writer.Finish] as its receiver will, and adds the findings. It returns the parts
// that were not compared, as sentences.
func (w *Writer) CompareParts(ctx context.Context, found *Found) ([]string, error) {
	r, err := CheckFolder(ctx, w.aside, Options{strict: true})
	if err != nil {
		return nil, err
	}
	found.all, found.more = append(found.all, r.found.all...), found.more+r.found.more
	return r.NotExamined, nil
}

// Tar writes the bag as an archive with one folder of a name, after [Writer.Finish]. All files
// have the time at. The same bag gives the same bytes.
func (w *Writer) Tar(ctx context.Context, out io.Writer, name string, at time.Time) (err error) {
	root, err := listing.Open(w.aside)
	if err != nil {
		return err
	}
	r := root.Reader()
	defer func() { err = errors.Join(err, r.Close(), root.Close()) }()
	archive := tar.NewWriter(out)
	for e, err := range root.All(ctx) {
		if err = errors.Join(err, e.Err); err != nil {
			return err
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name + "/" + e.Path, Size: e.Size, Mode: 0o644,
			ModTime: at.Truncate(time.Second)}
		if err := archive.WriteHeader(h); err != nil {
			return err
		}
		f, err := r.Open(e.Path)
		if err != nil {
			return err
		}
		_, err = io.Copy(archive, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return archive.Close()
}

// Commit puts the bag into its place, after [Writer.Finish].
func (w *Writer) Commit() error {
	if err := os.Rename(w.aside, w.out); err != nil { // which replaces nothing with a folder
		return err
	}
	w.aside = ""
	return w.root.Close()
}

// Discard removes everything that was written, unless the bag is in its place.
func (w *Writer) Discard() error {
	if w.aside == "" {
		return nil
	}
	var err error
	if w.file != nil {
		w.file.Close()
	}
	if w.root != nil {
		err = w.root.Close()
	}
	return errors.Join(err, os.RemoveAll(w.aside))
}

package ingest

import (
	"context"
	"errors"
	"io"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// Explained is the content of one file, as an ingest would find it, and the reasons.
type Explained struct {
	Path   string `json:"path"`
	Octets int64  `json:"octets"` // that were read
	Tally
	Remark string `json:"remark,omitempty"` // such as that it was joined from volumes

	// Code and Detail say why the file was not read, or not to its end.
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`

	// Containers are the streams in the file that were seen first. Unlisted counts
	// the records and spans in others.
	Containers []*Container `json:"containers"`
	Unlisted   int64        `json:"unlisted"`

	// Levels are the file and the streams in it, by path. MoreLevels counts the streams
	// that are not among them.
	Levels     []*Level `json:"levels"`
	MoreLevels int64    `json:"more_levels"`
}

// ExplainedSchema names the JSON form of a list of [Explained].
const ExplainedSchema = "svc-verify/ingest-explained/v1"

// Tally counts findings of one kind.
type Tally struct {
	Events    int64 `json:"events"`
	Documents int64 `json:"documents"` // bundles and signed statements
	Other     int64 `json:"other"`     // records of other services, and other spans that can hold no event
	NotRead   int64 `json:"not_read"`  // spans that an ingest lists as not read
}

// Container is a stream of a file, and the first items in it.
type Container struct {
	Path    string       `json:"path"` // as in [read.Place]; "" for the file itself
	Formats []Recognised `json:"formats"`
	Tally
	Shown []Shown `json:"shown"`
	Alike int64   `json:"alike"` // more that were found, and are not shown

	first int // how much of it is shown in any case; 0 before that is decided
}

// Recognised is a format, and why a stream was taken for it.
type Recognised struct {
	Format read.Format `json:"format"`
	Why    string      `json:"why"`
}

// How much is shown of a file: the first of each container and one for each further
// reason. Evidence can have any number of containers and reasons.
const (
	firstContainers = 16
	mostContainers  = 64
	mostFormats     = 32
	firstShown      = 3
	mostShown       = 24
	mostReasons     = 256
)

// Explain reads the evidence under paths as [Paths] does, with the same options, and writes
// nothing: it calls take with the content of each file, which take may keep. A path that
// cannot be read is handed on, too. An error is one of take, or means that ctx was done or the
// standard input could not be read.
func Explain(ctx context.Context, paths []string, options Options, progress func(Progress),
	take func(*Explained) error) error {
	if progress == nil {
		progress = func(Progress) {}
	}
	in := newIngest(paths, options)
	in.visitor = &explainer{options: options, progress: progress, take: take}
	for _, path := range paths {
		if err := in.ingestPath(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// explainer receives the sources of an ingest in place of a case.
type explainer struct {
	options  Options
	progress func(Progress)
	take     func(*Explained) error
	sources  int64 // that were explained
}

// refusePath explains a path that is not read.
func (e *explainer) refusePath(path string, code finding.Code, detail string) error {
	x := &Explained{Path: path, Code: string(code), Detail: detail, Containers: []*Container{}, Levels: []*Level{}}
	if code.Entry().IsUnread() {
		x.NotRead = 1
	}
	return e.take(x)
}

// visitSource explains the reading of a source.
func (e *explainer) visitSource(ctx context.Context, g *Source, r io.Reader) error {
	x := &explanation{explainer: e, source: newCounted(r), size: g.Size, listed: map[string]*Container{},
		reasons: map[reason]bool{}, formats: map[string]bool{}, levels: map[string]*Level{},
		out: Explained{Path: g.Path, Remark: g.Remark, Containers: []*Container{}}}
	err := read.Read(ctx, x.source.readerAgain(), e.options.Read, x)
	if err == nil { // the unread rest belongs to the file as well
		_, err = io.Copy(io.Discard, listing.Cancellable(ctx, x.source))
	}
	var broken *readError
	switch {
	case errors.As(err, &broken) && g.File != nil:
		x.out.Code, x.out.Detail = string(finding.SourceUnreadable), withoutPath(broken.err)
		x.out.NotRead++
	case err != nil:
		return err
	}
	x.out.Octets, _ = x.source.readSoFar()
	if g.File != nil && x.out.Code == "" {
		if change := g.Changed(x.out.Octets); change != "" {
			x.out.Code, x.out.Detail = string(finding.SourceChanged), change
			x.out.NotRead++
		}
	}
	x.endLevels()
	x.reportProgress()
	e.sources++
	return e.take(&x.out)
}

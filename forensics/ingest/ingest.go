package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Options configure an ingest. The zero value has the defaults.
type Options struct {
	Read    read.Options
	Workers int       // that scan; 0: one for each processor
	Stdin   io.Reader // the input for the path "-"

	// LeaveOut reports whether a file below the paths is no evidence, because the caller
	// writes it; may be nil.
	LeaveOut func(fs.FileInfo) bool

	// Unreadable is asked about a path that could not be read, as no file system should
	// answer. If it returns an error, that ends the ingest; else the path is noted and
	// passed over, as it is without the function.
	Unreadable func(path string, err error) error

	ChunkRecords int // how many records are scanned and added at once; 0: 1024
}

// Progress is how far the work has come.
type Progress struct {
	Path    string
	Read    int64 // bytes of this source
	Size    int64 // of them, in all
	Sources int64 // that were completed before
	Events  int64 // that were added, over all sources
}

// Summary contains the counts of an ingest.
type Summary struct {
	Sources   int64 // completed by this ingest
	Known     int64 // given again: the case has their content already
	Unread    int64 // paths that could not be read
	Events    int64 // deliveries of events
	Documents int64 // bundles and checkpoints
	Skipped   int64 // spans that could not be read
	Same      []Same
}

// Same is a path that was given for the first time, and an earlier one with the
// same content.
type Same struct {
	Path string `json:"path"`
	As   string `json:"as"`
}

// ingest is one run over a list of paths.
type ingest struct {
	w        Target
	before   lasting // w, if it can have had evidence before; else nil
	options  Options
	progress func(Progress)
	sum      Summary
	how      string // the sources are read

	named   map[string]bool   // the paths as they were given
	walking bool              // one of them is a directory, with all that is in it
	joined  map[string]bool   // volumes that were read together with others
	apart   map[string]string // files that are named as volumes and are none, and the remark on them
	earlier earlier
	roots   listing.Roots
	left    int // files below the path that no pattern matches

	visitor visitor // receives the sources in place of the case; nil in an ingest
}

// readerVersion is raised whenever sources are read in another way than before:
// then they are read again when they are given again.
const readerVersion = 5

// how has all settings that decide the records in sources.
type how struct {
	Reader          int         `json:"reader"`
	Format          read.Format `json:"format,omitempty"`
	BatchAttributes []string    `json:"batch_attributes,omitempty"`
	Limits          read.Limits `json:"limits,omitzero"`
	Only            []string    `json:"only,omitempty"`
	Unconfined      bool        `json:"unconfined,omitzero"`
	Stores          string      `json:"stores,omitempty"` // that the caller describes
}

// How returns how sources are read, with all settings that decide the records in them.
func How(o read.Options) string {
	sorted := func(all []string) []string { return slices.Compact(slices.Sorted(slices.Values(all))) }
	h := how{Reader: readerVersion, Format: o.Format, BatchAttributes: sorted(o.BatchAttributes), Limits: o.Limits,
		Only: sorted(o.Only), Unconfined: o.Confinement == read.Unconfined}
	if o.Stores != nil {
		h.Stores = o.Stores.Text
	}
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // numbers and strings always marshal
	}
	return string(text)
}

// HowOf returns the options in [How]. It returns an error if this version of the program does
// not read in that way.
func HowOf(text string) (read.Options, error) {
	var h how
	err := json.Unmarshal([]byte(text), &h)
	o := read.Options{Format: h.Format, BatchAttributes: h.BatchAttributes, Limits: h.Limits, Only: h.Only}
	if h.Unconfined {
		o.Confinement = read.Unconfined
	}
	if err == nil && h.Stores != "" {
		o.Stores, err = read.ParseStores(h.Stores)
	}
	if err != nil || How(o) != text {
		return read.Options{}, fmt.Errorf("sources were read in a way that this version does not have: %s",
			safetext.Excerpt(text, safetext.Value))
	}
	return o, nil
}

// Paths adds the evidence under paths to a case or another target: files, directories with all
// that is in them, and "-" for the standard input. Unreadable parts are noted there and
// skipped; an error means that the target could not be written, or that ctx was done. Earlier
// additions stay in a case, and the next ingest of the same evidence continues from there.
//
// Progress, if not nil, is called after each chunk, by the caller's goroutine.
func Paths(ctx context.Context, w Target, paths []string, options Options,
	progress func(Progress)) (Summary, error) {
	in := newIngestTo(w, paths, options, progress)
	in.before, _ = w.(lasting)
	if err := in.findKnownPaths(); err != nil {
		return in.sum, err
	}
	for _, path := range paths {
		if err := in.ingestPath(ctx, path); err != nil {
			return in.sum, errors.Join(err, w.Commit())
		}
	}
	return in.sum, in.keepAdditions()
}

// keepAdditions keeps the additions.
func (in *ingest) keepAdditions() error {
	if in.before == nil {
		return in.w.Commit()
	}
	return errors.Join(in.before.Purge(), in.before.Index(), in.w.Commit())
}

// newIngestTo is a run over paths that adds records to a target.
func newIngestTo(w Target, paths []string, options Options, progress func(Progress)) *ingest {
	if options.Workers <= 0 {
		options.Workers = runtime.GOMAXPROCS(0)
	}
	if options.ChunkRecords == 0 {
		options.ChunkRecords = chunkRecords
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	in := newIngest(paths, options)
	in.w, in.progress, in.how = w, progress, How(options.Read)
	return in
}

// newIngest is a run over paths, without a target.
func newIngest(paths []string, options Options) *ingest {
	in := &ingest{options: options, named: make(map[string]bool), joined: make(map[string]bool),
		apart: make(map[string]string), roots: listing.RootsOf(paths)}
	for _, path := range paths {
		in.named[filepath.Clean(listing.Followed(path))] = true
	}
	return in
}

// ownsFile reports whether a file belongs to the case itself, or to the caller.
func (in *ingest) ownsFile(info fs.FileInfo) bool {
	return in.visitor == nil && in.w.Owns(info) || in.options.LeaveOut != nil && in.options.LeaveOut(info)
}

func (in *ingest) reportDone(where string, p *facts.Progress, c *facts.Chunk) {
	in.sum.Events += int64(len(c.Events))
	in.sum.Documents += int64(len(c.Documents))
	in.sum.Skipped += c.Skipped()
	in.progress(Progress{Path: where, Read: p.Read, Size: p.Size, Sources: in.sum.Sources, Events: in.sum.Events})
}

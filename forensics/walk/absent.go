package walk

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
)

// Collected describes the given evidence of a log that has no events.
type Collected string

// The values of Collected.
const (
	NotCollected  Collected = "nothing"
	OnlyStrays    Collected = "strays"     // events of it that nothing vouches for
	OnlyEmptyFile Collected = "empty-file" // an empty file with its owner's name
	DeclaredOnly  Collected = "declared"   // by the user's word it was collected
)

// noteNone notes a log without events, or without vouched ones, and returns the kind of its
// given evidence. If anchors name events of it, missing collection explains that only if
// nothing was given.
func (e *ending) noteNone(ctx context.Context) (Collected, error) {
	if e.partial || e.branch.counts.Events > 0 {
		return "", nil
	}
	f := finding.Finding{Code: finding.Absent, Expected: "events of this log", Found: "none"}
	top := e.stand.beyond.highest()
	empty, err := e.emptyFiles(ctx)
	if err != nil {
		return "", err
	}
	given := NotCollected
	switch {
	case e.strays.events > 0:
		given, f.Found = OnlyStrays, fmt.Sprintf("%d for which no pinned key and no anchor vouches", e.strays.events)
		f.Explanations = []string{"The trust file lacks the key that signed these events."}
	case len(empty) > 0:
		given, f.Found, f.Evidence = OnlyEmptyFile, "an empty file that has its owner's name",
			empty[:min(len(empty), mostEvidence)]
		f.Explanations = []string{"The copy of the file failed."}
	case e.declared:
		given, f.Found = DeclaredOnly, "none, although it was collected"
	}
	if e.declared || given != NotCollected && len(top) > 0 && !e.leftOut {
		f.Code = finding.Gone
	}
	if len(top) > 0 {
		f.Sequence, f.LastSequence = e.branch.counts.Last+1, top[0].Sequence
		f.Expected = fmt.Sprintf("event %d, %s, by %s", top[0].Sequence, top[0].Hash, top[0].Name)
		top = top[:1]
	}
	return given, e.book.noteAnchored(ctx, f, top...)
}

// emptyFiles returns the empty files with the name of the log's owner. The name
// shows only that something was given. That the log had events is shown by its
// anchors.
func (e *ending) emptyFiles(ctx context.Context) ([]finding.Evidence, error) {
	all, err := e.judge.reader.Empty(ctx)
	return slices.DeleteFunc(slices.Clone(all), func(at finding.Evidence) bool { return !HasOwnersName(e.log.LogID, at) }),
		err
}

// HasOwnersName reports whether a file has the name of a log's owner: OWNER,
// OWNER.EXT, or OWNER/journal.EXT (SPEC 13.6).
func HasOwnersName(logID string, e finding.Evidence) bool {
	kind, owner, _ := strings.Cut(logID, "/")
	name := e.Source
	if e.Container != "" {
		name = e.Container[strings.LastIndexByte(e.Container, '!')+1:]
	}
	dir, file := path.Split(strings.ReplaceAll(name, "\\", "/"))
	is := func(word string) bool { return file == word || strings.HasPrefix(file, word+".") }
	return is(owner) || kind == "tenant" && is("tenant") || path.Base(dir) == owner && is("journal")
}

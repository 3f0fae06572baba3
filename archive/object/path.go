package object

import "github.com/svc-edge/svc-verify/internal/safetext"

// PathText writes the path of an object as text for documents (SPEC 15.1).
func PathText(path string) string { return safetext.PathText(path) }

// ParsePath reads the text of a path; false if PathText writes no path so.
func ParsePath(text string) (path string, ok bool) { return safetext.ParsePathText(text) }

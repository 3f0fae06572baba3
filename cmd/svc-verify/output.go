package main

import (
	"encoding/json"
	"io"

	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// The exit codes beside cliapp.ExitFailure.
const (
	exitVerified     = 0
	exitRejected     = 1
	exitInconclusive = 3
)

// exitCode is a function of every verdict there could be: what is neither
// verified nor rejected, the zero value too, is inconclusive.
func exitCode(v verify.Verdict) int {
	switch v {
	case verify.Verified:
		return exitVerified
	case verify.Rejected:
		return exitRejected
	}
	return exitInconclusive
}

// writeJSON writes one indented document in printable ASCII: a value out of
// evidence can hold a control character or a bidi mark, which JSON itself
// allows to stand as it is.
func writeJSON(w io.Writer, v any) error {
	doc, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(safetext.JSON(doc), '\n'))
	return err
}

package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestLineForm: a pipe gets an event as it was signed; what may be a terminal
// gets it with escapes.
func TestLineForm(t *testing.T) {
	device := must.Get(os.OpenFile(os.DevNull, os.O_WRONLY, 0))(t)
	defer device.Close()
	const line = "{\"x\":\"\\u001b\u009b31m\u202e\"}\n"
	check.Equal(t, string(lineForm(&bytes.Buffer{})([]byte(line))), line, "the line")
	check.Equal(t, string(lineForm(device)([]byte(line))), `{"x":"\u001b\u009b31m\u202e"}`+"\n", "the line")
}

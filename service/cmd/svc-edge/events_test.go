package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestLineForm: a pipe gets an event as it was signed; what may be a terminal
// gets it with escapes.
func TestLineForm(t *testing.T) {
	device := must.Get(os.OpenFile(os.DevNull, os.O_WRONLY, 0))(t)
	defer device.Close()
	const line = "{\"x\":\"\\u001b\u009b31m\u202e\"}\n"
	if found := string(lineForm(&bytes.Buffer{})([]byte(line))); found != line {
		t.Errorf("found %q", found)
	}
	if found := string(lineForm(device)([]byte(line))); found != `{"x":"\u001b\u009b31m\u202e"}`+"\n" {
		t.Errorf("found %q", found)
	}
}

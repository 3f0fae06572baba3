package main

import (
	"bytes"
	"os"
	"testing"
)

// TestLineForm: a pipe gets an event as it was signed; what may be a terminal
// gets it with escapes.
func TestLineForm(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	const line = "{\"x\":\"\\u001b\u009b31m\u202e\"}\n"
	if found := string(lineForm(&bytes.Buffer{})([]byte(line))); found != line {
		t.Errorf("found %q", found)
	}
	if found := string(lineForm(device)([]byte(line))); found != `{"x":"\u001b\u009b31m\u202e"}`+"\n" {
		t.Errorf("found %q", found)
	}
}

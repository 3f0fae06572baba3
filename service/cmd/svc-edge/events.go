package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/service/edge"
)

func showEvents(c *cliapp.Context) (int, error) {
	w, err := newWatch(c)
	if err != nil {
		return 0, err
	}
	defer w.Client.Close()
	ctx, stop := interruptible()
	defer stop()
	read := w.Once
	if c.Switch("watch") {
		read = w.Follow
	}
	return judged(c, read(ctx))
}

// newWatch makes the watch that the flags ask for.
func newWatch(c *cliapp.Context) (*edge.Watch, error) {
	if !c.Given("tenant") {
		return nil, cliapp.Usagef("-tenant ID is missing: the tenant that all events must be of")
	}
	list, err := topics(c)
	if err != nil {
		return nil, err
	}
	form := lineForm(c.Stdout)
	w := &edge.Watch{
		Tenant: c.Text("tenant"), Topics: list, Wait: eventWait(c),
		Show: func(line []byte) error {
			_, err := c.Stdout.Write(form(line))
			return err
		},
		Save: func(edge.Cursor) error { return nil },
		Rotated: func(r edge.Rotation) {
			say(c,
				fmt.Sprintf("%s has a new key %s, named by its old one and accepted for this run only: compare its SHA-256 %s "+
					"with the node's operator, and pin it with -node-spki",
					safetext.Quote(r.Node), safetext.Quote(r.KeyID), hex.EncodeToString(r.SPKISHA256())))
		},
		Retrying: func(err error) { say(c, err.Error()+"; trying again") },
	}
	if file := c.Text("event-cursor-file"); file != "" {
		if w.Cursor, err = edge.ReadCursor(file); err != nil {
			return nil, fmt.Errorf("the cursor file: %w", err)
		}
		if err := edge.CheckCursorFile(file); err != nil {
			return nil, fmt.Errorf("the cursor file: %w", err)
		}
		w.Save = func(cursor edge.Cursor) error { return cursor.WriteFile(file) }
	}
	w.Client, err = newClient(c)
	return w, err
}

// say writes a sentence that is safe to show to standard error.
func say(c *cliapp.Context, sentence string) {
	fmt.Fprintf(c.Stderr, "svc-edge: %s\n", sentence)
}

// lineForm returns the form in which a line goes to an output. It is canonical
// JSON, in which a C1 control or a bidi mark may stand as it is: on a terminal it
// is written with escapes, which mean the same.
func lineForm(out io.Writer) func([]byte) []byte {
	if cliapp.IsTerminal(out) {
		return safetext.JSON
	}
	return func(line []byte) []byte { return line }
}

// judged makes an exit code out of how the reading of events ended.
func judged(c *cliapp.Context, err error) (int, error) {
	var unverified *edge.Unverified
	var expired *edge.Expired
	switch {
	case errors.As(err, &unverified):
		say(c, unverified.Error())
		return exitBad, nil
	case errors.As(err, &expired):
		say(c, expired.Error()+advice(c.Text("event-cursor-file")))
		return exitExpired, nil
	case errors.Is(err, context.Canceled):
		return exitDone, nil
	}
	return exitDone, err
}

// advice returns what to do when a cursor has expired.
func advice(file string) string {
	if file == "" {
		return ""
	}
	return fmt.Sprintf(". %s stays as it is. Find out what was missed, from status, the node's audit journal or the console; then move the file away and start again with the oldest event that is kept",
		safetext.Quote(file))
}

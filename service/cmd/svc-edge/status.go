package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/service/edge"
)

// health asks the node for its health report.
func health(c *cliapp.Context) (*edge.Health, error) {
	client, err := connect(c)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ctx, stop := interruptible()
	defer stop()
	return client.Health(ctx)
}

func showStatus(c *cliapp.Context) (int, error) {
	h, err := health(c)
	if err != nil {
		return 0, err
	}
	var doc bytes.Buffer
	if err := json.Indent(&doc, h.Document, "", "  "); err != nil {
		return 0, err
	}
	if _, err := c.Stdout.Write(append(safetext.JSON(doc.Bytes()), '\n')); err != nil {
		return 0, err
	}
	return exitIf(h.Degraded), nil
}

func listIntegrations(c *cliapp.Context) (int, error) {
	h, err := health(c)
	if err != nil {
		return 0, err
	}
	bad := false
	for _, i := range h.Integrations {
		bad = bad || i.Degraded
	}
	_, err = io.WriteString(c.Stdout, integrationTable(h.Integrations))
	return exitIf(bad), err
}

func exitIf(bad bool) int {
	if bad {
		return exitBad
	}
	return exitDone
}

// The widths of the columns of the table; with two spaces between them they
// make 80.
const (
	kindWidth   = 19
	stateWidth  = 9
	healthWidth = 8
	causeWidth  = 38
)

// integrationTable writes the integrations for people, on 80 columns.
func integrationTable(list []edge.Integration) string {
	if len(list) == 0 {
		return "no integrations\n"
	}
	var b strings.Builder
	row := func(kind, state, health, cause string) {
		line := pad(kind, kindWidth) + pad(state, stateWidth) + pad(health, healthWidth) + pad(cause, causeWidth)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	row("KIND", "STATE", "HEALTH", "CAUSE")
	for _, i := range list {
		health := "healthy"
		if i.Degraded {
			health = "degraded"
		}
		row(i.Kind, state(i), health, i.ErrorCode)
		if e := i.Export; e != nil {
			text := fmt.Sprintf("exporter %s at %s: %d of %d events acknowledged, backlog %d",
				safetext.Quote(e.ExporterID), safetext.Quote(e.EndpointHost), e.Cursor, e.SourceHead, e.Backlog)
			b.WriteString("  " + columns.Wrap(text, 80, 4) + "\n")
		}
	}
	return b.String()
}

// state describes in a word whether an integration is there and on, as far as the node reports
// it.
func state(i edge.Integration) string {
	switch {
	case i.Installed != nil && !*i.Installed:
		return "absent"
	case i.Enabled != nil && !*i.Enabled:
		return "disabled"
	case i.Enabled != nil:
		return "enabled"
	case i.Installed != nil:
		return "installed"
	}
	return "-"
}

// pad cuts a text to the width of its column, and fills it.
func pad(text string, width int) string {
	if text != "" {
		text = columns.Cut(text, width)
	}
	return text + strings.Repeat(" ", width-columns.Width(text)+2)
}

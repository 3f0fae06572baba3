package main

import (
	"io"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify/inspect"
	"github.com/svc-edge/svc-verify/verify/text"
)

func inspectCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "inspect",
		Summary: "Show what a bundle says, without verifying it",
		Description: "Shows the parts of a bundle: signed statements with their key ids, the terms, the certificates, the path and the checkpoint. " +
			"No signature is checked, and every line is marked unverified. For a damaged bundle it shows the faults and whatever can be read.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the bundle has its form"},
			{Code: exitRejected, Meaning: "it is malformed"},
			{Code: exitInconclusive, Meaning: "it is empty"},
		},
		Args:     "BUNDLE",
		Flags:    []cliapp.Flag{formFlag()},
		Examples: []string{"svc-verify inspect bundle.json", "svc-verify inspect --output json -"},
		Action:   inspectBundle,
	}
}

func inspectBundle(c *cliapp.Context) (int, error) {
	doc, err := readBundle(c, c.Args[0])
	if err != nil {
		return 0, err
	}
	in := bundle.Open(doc)
	overview := inspect.Of(in, doc)
	if c.Text("output") == "json" {
		err = writeJSON(c.Stdout, overview)
	} else {
		_, err = io.WriteString(c.Stdout, text.Overview(overview, safetext.Quote(c.Args[0])))
	}
	if err != nil {
		return 0, err
	}
	switch {
	case in.Empty():
		return exitInconclusive, nil
	case len(in.Faults) > 0:
		return exitRejected, nil
	}
	return exitVerified, nil
}

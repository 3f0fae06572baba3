package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/listing"
	"github.com/svc-edge/svc-verify/archive/renewal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/fileerror"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// chainFlags are the flags by which a chain is judged.
func chainFlags() []cliapp.Flag {
	return []cliapp.Flag{
		{Name: "algorithms", Value: "FILE", Usage: "The file that says until when algorithms are believed"},
		{Name: "at", Value: "TIME", Usage: "The time of the check; the clock's time unless given"},
	}
}

func revocationFlag() cliapp.Flag {
	return cliapp.Flag{Name: "revocation", Kind: cliapp.List, Value: "FILE",
		Usage: "A CRL or OCSP answer about the certificates of the newest token"}
}

func outFlag() cliapp.Flag {
	return cliapp.Flag{Name: "out", Value: "FILE", Required: true, Usage: "The request to write, for the authority"}
}

// readTrees reads the archive of a command line, and its list of leaves if there is one.
func readTrees(ctx context.Context, c *cliapp.Context, hashes []timestamp.Hash) (trees []renewal.Tree, err error) {
	root, err := listing.Open(c.Args[1])
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", safetext.Quote(c.Args[1]), fileerror.WithoutPath(err))
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	data := renewal.Data{Archive: root}
	leaves, err := openLeaves(c, c.Args[0])
	if err != nil {
		return nil, err
	}
	if leaves != nil {
		defer leaves.Close()
		data.Leaves = leaves
	}
	return data.Trees(ctx, hashes)
}

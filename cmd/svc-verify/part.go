package main

import (
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func partKeyFlag() cliapp.Flag {
	return cliapp.Flag{Name: "part-key", Value: "FILE",
		Usage: fmt.Sprintf("A secret of %d to %d octets that workers and conclude share, in a file that only you can read",
			part.LeastKey, part.MostKey)}
}

// partKey reads the key of --part-key; nil without one.
func partKey(c *cliapp.Context) (*part.Key, error) {
	if !c.Given("part-key") {
		return nil, nil
	}
	key, err := part.ReadKey(c.Text("part-key"))
	if err != nil {
		return nil, fmt.Errorf("the part key %s: %w", safetext.Quote(c.Text("part-key")), err)
	}
	return key, nil
}

// shareMemory is the memory from which on the collector works harder. A worker uses
// less: without this, garbage would double it.
const shareMemory = 160 << 20

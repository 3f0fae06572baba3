package main

import "github.com/svc-edge/svc-verify/internal/cliapp"

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

// Command svc-verify verifies evidence of the edge trust service offline. It has
// the flags, the streams and the exit codes. What is true of a bundle is decided
// in package verify, and what may be trusted in package trust.
//
// The rules of its streams:
//
//   - standard output carries the result and nothing else, in the same form on
//     success and on failure; JSON is one document in printable ASCII;
//   - standard error carries one sentence that starts with "svc-verify:", or
//     one for each fault of a trust file;
//   - text that came from evidence, from a file name or from the command line
//     is quoted before it is shown (package safetext);
//   - the exit code follows from the verdict alone: see [exitCode].
package main

import (
	"os"

	"github.com/svc-edge/svc-verify/internal/cliapp"
)

func main() {
	os.Exit(program().Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// version is that of the program. Below 1.0.0 options, codes and formats may still change.
const version = "0.9.0"

// program declares the whole command line.
func program() *cliapp.Program {
	return &cliapp.Program{
		Name:    "svc-verify",
		Version: version,
		Summary: "Verify evidence of the edge trust service offline",
		Description: "Decides whether a proof bundle is genuine. " +
			"It opens no network connection; only receive, a server, uses the network. No clock and no environment " +
			"variable changes an answer.\n\n" +
			"The trust file has the keys and pins that you collected independently. Keys inside a bundle are never " +
			"trusted.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "verified, or done"},
			{Code: exitRejected, Meaning: "rejected: the evidence is bad"},
			{Code: cliapp.ExitFailure,
				Meaning: "could not work: wrong usage, an unreadable file, a bad trust file, a failed write"},
			{Code: exitInconclusive, Meaning: "inconclusive: nothing to check, or not enough to decide"},
		},
		Examples: []string{
			"svc-verify --evidence svc-evidence-tx-2026-0001.json --trust trust.json",
			"svc-verify --evidence bundle.json --trust trust.json \\\n    --certificate leaf.pem " +
				"--minimum-approvals 2 --output text",
			"svc-verify --evidence - --trust trust.json",
		},
		Flags:  proofFlags(),
		Action: proveBundle,
		Commands: append([]*cliapp.Command{
			archiveCommand(),
			contradictionCommand(),
			inspectCommand(),
			batchCommand(),
			explainCommand(),
			schemaCommand(),
			selftestCommand(),
			trustCommand(),
		}, caseCommands()...),
	}
}

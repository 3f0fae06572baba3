// Command svc-verify verifies evidence of the edge trust service offline. It has the flags,
// the streams and the exit codes. Package verify judges bundles, and package trust decides
// what may be trusted.
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
	_ "embed"
	"os"

	"github.com/svc-edge/svc-verify/internal/cliapp"
)

func main() {
	os.Exit(newProgram().Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// version is the version of the program. Below 1.0.0 options, codes and formats may still
// change. In a release the linker sets it.
var version = "0.9.0"

//go:embed commands.txt
var commands string

// actions are the functions that answer the commands of commands.txt.
var actions = map[string]action{
	"":        proveBundle,
	"inspect": inspectFile,
	"verify":  verifyProofs,
	"explain": explainCode,
	"schema":  printSchema,
	"version": showVersion,

	"schema validate": validateDocuments,

	"conformance export": exportConformance,
	"conformance run":    runConformance,
	"conformance mutate": mutateConformance,

	"archive check":  checkArchive,
	"archive accept": archiveAccept,
	"archive log":    archiveLog,
	"archive status": archiveStatus,
	"archive export": exportArchive,
	"archive key":    archiveKey,
	"archive seal":   archiveSeal,
	"archive prove":  archiveProve,
	"archive verify": archiveVerify,

	"archive compare": archiveCompare,

	"trust init":    trustInit,
	"trust lint":    trustLint,
	"trust show":    trustShow,
	"trust diff":    trustDiff,
	"trust history": trustHistory,

	"check":           checkPaths,
	"ingest":          ingestPaths,
	"walk":            walkCase,
	"timeline":        showTimeline,
	"show findings":   showFindings,
	"export":          exportLog,
	"show gaps":       showGaps,
	"show batches":    showBatches,
	"show events":     listEvents,
	"show event":      showAnswer,
	"show crosscheck": crosscheckCase,
	"certificates":    showStatus,
	"affected":        showAffected,
	"pack":            makePack,
	"note":            noteCase,
	"changes":         showChanges,
	"report":          reportCase,
	"receive":         receiveLogs,
	"plan":            planPaths,
	"part":            writeShare,
	"join":            joinParts,
	"conclude":        concludeParts,
}

// newProgram is the command line that commands.txt declares. A fault in it is a mistake that
// every run shows.
func newProgram() *cliapp.Program {
	all := map[string]cliapp.Action{}
	for words, act := range actions {
		all[words] = act.runAs(words)
	}
	p, err := cliapp.Parse(commands, all)
	if err != nil {
		panic("commands.txt: " + err.Error())
	}
	p.Version = version
	return p
}

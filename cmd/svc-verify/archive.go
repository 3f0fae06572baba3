package main

import (
	"slices"

	"github.com/svc-edge/svc-verify/internal/cliapp"
)

// archiveCommand groups the commands about archives.
func archiveCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "archive",
		Summary: "Keep evidence for a long time, and show that it is unchanged",
		Description: "An archive is a folder of evidence. A ledger beside it says what was read and verified when. " +
			"A seal shows later who vouched for its content.",
		Commands: slices.Concat(
			[]*cliapp.Command{archiveCheckCommand()},
			logbookCommands(),
			bagCommands(),
			sealCommands(),
			renewCommands(),
		),
	}
}

// Package cliapp runs the command lines of the programs. It parses flags, shows
// help and sets exit codes.
//
// A [Program] is plain data: a tree of commands with their flags. Run reads
// the command line in three steps:
//
//  1. arrange finds the command and checks every word against the tree. It
//     refuses words that a parser would otherwise read as something else: a flag
//     after an argument, a flag taken for a value, an unknown command, words
//     left over.
//  2. The checked words, in the one form that leaves no room for a second
//     reading, go through urfave/cli, which routes and stores the values.
//  3. The action runs, and its answer becomes the exit code.
//
// The contract with scripts, the same for all programs:
//
//   - standard output carries the result and nothing else; a usage error
//     leaves it empty;
//   - a usage error, an error of the action, a failed write to standard output
//     and a panic all exit with [ExitFailure], with a message on standard error;
//   - --help and --version print to standard output and exit 0;
//   - no environment variable is read, and nothing is shared between two runs.
//
// Every program also has the commands "completion" and "man", made from the
// same tree.
package cliapp

import "io"

// ExitFailure is the exit code of a program that could not do its work: wrong
// usage, unreadable input, a failed write, an internal error.
const ExitFailure = 2

// Program is a command line program. It is not changed by running it, so one
// Program may run many times, also at once.
type Program struct {
	// Name is the name of the program, as it is typed.
	Name string
	// Version is printed by --version.
	Version string
	// Summary describes the program in one line, without a final period.
	Summary string
	// Description is prose for the help and the manual page. An empty line
	// separates paragraphs.
	Description string
	// ExitCodes lists the meaning of each exit code, for the program and for every command
	// without a list of its own.
	ExitCodes []ExitCode
	// Examples are command lines. A backslash before a line break continues one.
	Examples []string
	// Dash is how the help writes flags, "--" if empty. Both "-" and "--" are
	// always understood.
	Dash string

	// Shared flags stand before the command and are there for every command.
	Shared []Flag
	// Flags belong to Action, the form of the program without a command. They
	// are refused before a command, where they would have no effect.
	Flags []Flag
	// Action is run if no command is given. Without it a command is required.
	Action Action
	// Commands are the commands of the program.
	Commands []*Command
	// Paths is the command that is meant by a path in the place of a command: a word with a
	// slash or a dot; "" for none.
	Paths string
	// Moved are the commands that were there once, by their names.
	Moved map[string]Moved
}

// Command is a command of a program. It has an Action, or is a group of Commands without
// flags and arguments of its own. A command with Args can be both: an argument that names one
// of its Commands is that command.
type Command struct {
	// Name is the name of the command, as it is typed.
	Name string
	// Summary describes the command in one line.
	Summary string
	// Description is prose for the help and the manual page.
	Description string
	// Args declares the arguments as the usage line shows them, and with it how
	// many there may be: "CODE" is exactly one, "PATH..." one or more,
	// "[PATH...]" any number, "A B" two, "" none.
	Args string
	// ExitCodes lists the exit codes of the command and their meanings. [ExitFailure] is the
	// program's if it is not among them. Without a list, the program's exit codes apply.
	ExitCodes []ExitCode
	// Examples are command lines.
	Examples []string
	// Flags are the flags of the command.
	Flags []Flag
	// Gone has for each former flag, by its name, what to type instead.
	Gone map[string]string
	// Action does the work.
	Action Action
	// Commands are the commands of a group, such as "trust lint".
	Commands []*Command

	// builtin marks the commands that this package adds: they need none of the Shared flags.
	builtin bool
}

// ExitCode documents one exit code of a program.
type ExitCode struct {
	// Code is the exit code.
	Code int
	// Meaning describes in a few words when the program ends with it.
	Meaning string
}

// Action does the work of a command and returns the exit code of the program.
// An error means that the work could not be done: it is printed and the exit
// code is [ExitFailure], whatever code came with it.
type Action func(*Context) (int, error)

// Run runs the program with the arguments that follow its name and returns
// its exit code. It neither ends the process nor reads the environment.
func (p *Program) Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	r := run{program: p, stdin: stdin, stdout: &stickyWriter{w: stdout}, stderr: stderr}
	return r.runCommand(args)
}

package cliapp

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// run is one run of a program.
type run struct {
	program *Program
	stdin   io.Reader
	stdout  *stickyWriter
	stderr  io.Writer
	line    line
	values  map[string]*value
	ran     bool
	code    int
}

// stickyWriter remembers the first failed write, so that a result that was
// lost on a full disk is not reported as delivered.
type stickyWriter struct {
	w   io.Writer
	err error
}

func (s *stickyWriter) Write(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(b)
	s.err = err
	return n, err
}

// Unwrap returns the underlying writer.
func (s *stickyWriter) Unwrap() io.Writer { return s.w }

// runCommand returns the exit code. A panic of the action ends here. A goroutine of an action
// turns its panics into errors itself: a panic that runCommand does not see ends the process
// in the Go runtime, with exit code 2 as well.
func (r *run) runCommand(args []string) (code int) {
	defer func() {
		if cause := recover(); cause != nil {
			text := safetext.Line(fmt.Sprint(cause))
			fmt.Fprintf(r.stderr, "%s: internal error: %s: nothing was decided: report it with the lines that follow\n%s",
				r.program.Name, text, debug.Stack())
			code = ExitFailure
		}
	}()
	err := r.performAction(args)
	if err == nil {
		err = r.stdoutError()
	}
	if err != nil {
		r.reportError(err)
		return ExitFailure
	}
	return r.code
}

func (r *run) performAction(args []string) (err error) {
	r.line, err = r.program.arrangeWords(args)
	if err != nil {
		return err
	}
	switch r.line.asks {
	case forHelp:
		_, err = io.WriteString(r.stdout, r.program.helpText(r.line.path))
		return err
	case forVersion:
		_, err = fmt.Fprintf(r.stdout, "%s %s\n", r.program.Name, r.program.Version)
		return err
	}
	app, err := r.cliApp()
	if err != nil {
		return err
	}
	if err := app.Run(append([]string{r.program.Name}, r.line.words...)); err != nil {
		return err
	}
	if !r.ran || r.code < 0 || r.code > 125 {
		panic(fmt.Sprintf("no usable exit code: action run %t, code %d", r.ran, r.code))
	}
	return nil
}

func (r *run) stdoutError() error {
	if r.stdout.err == nil {
		return nil
	}
	return fmt.Errorf("writing the result to standard output: %w", r.stdout.err)
}

// reportError prints the error and, if it is about the usage, where to read on.
func (r *run) reportError(err error) {
	fmt.Fprintf(r.stderr, "%s: %s\n", r.program.Name, safetext.Line(err.Error()))
	var usage *usageError
	if errors.As(err, &usage) {
		fmt.Fprintf(r.stderr, "Run '%s --help' for usage.\n", pathName(r.line.path))
	}
}

// cliApp returns the command meant, and those above it, as an application of
// urfave/cli. All that library would print, guess or add by itself is off, and
// its built-in flags are not used: they are variables shared by the process.
func (r *run) cliApp() (*cli.App, error) {
	if err := r.makeValues(); err != nil {
		return nil, err
	}
	path := r.line.path
	app := &cli.App{
		Name:                      r.program.Name,
		Usage:                     r.program.Summary,
		Reader:                    r.stdin,
		Writer:                    io.Discard,
		ErrWriter:                 io.Discard,
		HideHelp:                  true,
		HideHelpCommand:           true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		OnUsageError:              r.badValue,
		ExitErrHandler:            func(*cli.Context, error) {},
		Compiled:                  time.Unix(0, 0), // else the file of the executable is looked up
		Action:                    r.runAction,
	}
	flags := path[0].Flags
	if len(path) > 1 {
		flags = r.program.Shared
		app.Commands = []*cli.Command{r.cliCommand(path[1:])}
	}
	app.Flags = r.cliFlags(flags)
	return app, nil
}

func (r *run) cliCommand(path []*Command) *cli.Command {
	c := &cli.Command{
		Name:            path[0].Name,
		Usage:           path[0].Summary,
		HideHelp:        true,
		HideHelpCommand: true,
		OnUsageError:    r.badValue,
		Action:          r.runAction,
		Flags:           r.cliFlags(path[0].Flags),
	}
	if len(path) > 1 {
		c.Subcommands = []*cli.Command{r.cliCommand(path[1:])}
	}
	return c
}

// makeValues makes the values of all flags that the command can see.
func (r *run) makeValues() error {
	r.values = map[string]*value{}
	for _, list := range [][]Flag{r.program.Shared, r.line.meantCommand().Flags} {
		for _, f := range list {
			v, err := newValue(f)
			if err != nil {
				return err
			}
			r.values[f.Name] = v
		}
	}
	return nil
}

func (r *run) cliFlags(decls []Flag) []cli.Flag {
	list := make([]cli.Flag, len(decls))
	for i, f := range decls {
		list[i] = r.values[f.Name]
	}
	return list
}

// badValue turns an error of package flag about a value, which always has one dash, into a
// usage error.
func (r *run) badValue(_ *cli.Context, err error, _ bool) error {
	return Usagef("%s", flagOfValue().ReplaceAllString(err.Error(), "${1}"+r.program.dashOf()))
}

// flagOfValue is how such an error begins, up to the dash. The value is quoted.
var flagOfValue = safetext.Pattern(`^(invalid (?:boolean )?value "(?:[^"\\]|\\.)*" for (?:flag )?)-`)

// runAction runs the action of the command. The same function is at every
// level, as the command is already known.
func (r *run) runAction(c *cli.Context) (err error) {
	r.ran = true
	r.code, err = r.line.meantCommand().Action(&Context{
		Args:   c.Args().Slice(),
		Stdin:  r.stdin,
		Stdout: r.stdout,
		Stderr: r.stderr,
		values: r.values,
	})
	return err
}

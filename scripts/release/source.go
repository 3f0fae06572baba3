package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// source is the checkout that a release is made from.
type source struct {
	commit string
	when   time.Time // of everything in the release
}

// readSource reads the commit of the checkout. It refuses one with files that are not committed,
// unless they are wanted.
func readSource(dirty bool) (s source, err error) {
	changes, err := runProgram("git", "status", "--porcelain", "--untracked-files=all", "--ignore-submodules=none")
	if err != nil {
		return s, err
	}
	if changes != "" && !dirty {
		return s, fmt.Errorf("the checkout has changes that are not committed:\n%s", changes)
	}
	if s.commit, err = runProgram("git", "rev-parse", "HEAD"); err != nil {
		return s, err
	}
	if changes != "" {
		s.commit += "-dirty"
	}
	seconds, given := os.LookupEnv("SOURCE_DATE_EPOCH")
	if !given {
		if seconds, err = runProgram("git", "show", "--no-patch", "--format=%ct", "HEAD"); err != nil {
			return s, err
		}
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	const first, last = 315532800, 4354819199 // the range of times in a zip archive: 1980 to 2107
	if err != nil || n < first || n > last {
		return s, fmt.Errorf("the time %q of the release: expected seconds since 1970, from 1980 on", seconds)
	}
	s.when = time.Unix(n, 0).UTC()
	return s, nil
}

// runProgram runs a program, and returns its output.
func runProgram(name string, args ...string) (string, error) {
	return outputOf(exec.Command(name, args...)) // #nosec G204 -- git and go
}

// outputOf runs a command, and returns its output without the last line break.
func outputOf(c *exec.Cmd) (string, error) {
	var stderr bytes.Buffer
	c.Stderr = &stderr
	stdout, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, stderr.Bytes())
	}
	return strings.TrimSuffix(string(stdout), "\n"), nil
}

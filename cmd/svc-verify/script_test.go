package main

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// scriptLines writes some lines of a file to another one, counted from 1:
// lines FROM TO FIRST LAST.
func scriptLines(ts *testscript.TestScript, _ bool, args []string) {
	all := strings.SplitAfter(ts.ReadFile(args[0]), "\n")
	first, err := strconv.Atoi(args[2])
	ts.Check(err)
	last, err := strconv.Atoi(args[3])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(all[first-1:last], "")), 0o644))
}

// scriptAppend appends a file to another one: append FROM TO.
func scriptAppend(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(ts.ReadFile(args[1])+ts.ReadFile(args[0])), 0o644))
}

// scriptSQL changes a case as anyone with write access can: sql FILE STATEMENT.
func scriptSQL(ts *testscript.TestScript, _ bool, args []string) {
	c, err := sqlite.Open(ts.MkAbs(args[0]), sqlite.ReadWrite)
	ts.Check(err)
	ts.Check(errors.Join(c.Exec(args[1]), c.Close()))
}

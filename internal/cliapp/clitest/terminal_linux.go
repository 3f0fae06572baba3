package clitest

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Terminal returns a terminal for a program to write to, and a reader of its output. A line
// feed arrives as carriage return and line feed. The reader gets an error once every copy of
// the terminal is closed.
func Terminal(t *testing.T) (terminal, reader *os.File) {
	t.Helper()
	reader, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	number, err := unix.IoctlGetInt(int(reader.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(reader.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return terminal, reader
}

// OnTerminal returns the output of f on a terminal, with line feeds as f wrote them.
func OnTerminal(t *testing.T, f func(terminal *os.File)) string {
	t.Helper()
	terminal, reader := Terminal(t)
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(reader) // ends with an error when the terminal is closed
		text <- string(all)
	}()
	f(terminal)
	terminal.Close()
	return strings.ReplaceAll(<-text, "\r\n", "\n")
}

package workload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Mode is how a workload behaves.
type Mode string

// The modes.
const (
	Follow Mode = "follow" // takes up what the pointer names
	Stuck  Mode = "stuck"  // keeps the certificate that it has
	Down   Mode = "down"   // takes up what the pointer names, and answers 503
)

// Modes returns all modes.
func Modes() []Mode { return []Mode{Follow, Stuck, Down} }

// ModeNames lists the modes for a sentence, with commas.
func ModeNames() string {
	var names []string
	for _, m := range Modes() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

// ParseMode reads the name of a mode.
func ParseMode(name string) (Mode, error) {
	if m := Mode(name); slices.Contains(Modes(), m) {
		return m, nil
	}
	return "", fmt.Errorf("expected one of %s, found %.40q", ModeNames(), name)
}

// behave returns the mode that the file names now, [Follow] without a file. A
// file that names none changes nothing.
func (w *workload) behave() Mode {
	w.mu.Lock()
	defer w.mu.Unlock()
	b, err := os.ReadFile(w.ModeFile)
	if w.ModeFile == "" || errors.Is(err, fs.ErrNotExist) {
		w.mode = Follow
		return w.mode
	}
	var mode Mode
	if err == nil {
		mode, err = ParseMode(strings.TrimSpace(string(b)))
	}
	if err == nil {
		w.mode = mode
	}
	w.complaints.tell(err, "the mode stays as it was", "mode", w.mode)
	return w.mode
}

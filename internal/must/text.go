package must

import (
	"strings"
	"sync"
)

// Text is the output of goroutines, such as a log. It can be read meanwhile.
type Text struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (t *Text) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(b)
}

// String returns the text so far.
func (t *Text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

package evidence

import (
	"fmt"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// UnreachableError reports that the line of an event is needed, and that no source
// that has it can be read again: none is where it was, or is what it was.
type UnreachableError struct{ Source string } // by its first name

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s is not where it was or not what it was, and a line of it is needed again",
		safetext.Quote(e.Source))
}

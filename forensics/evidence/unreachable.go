package evidence

import (
	"fmt"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// UnreachableError reports that the line of an event is needed, and that no source that
// contains it can be read again: each is gone from its path or has changed.
type UnreachableError struct{ Source string } // by its first name

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s was moved or changed, and a line of it is needed again",
		safetext.Quote(e.Source))
}

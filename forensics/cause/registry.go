package cause

import (
	"github.com/svc-edge/svc-verify/finding"
)

// Code names a kind of cause.
type Code = finding.Code

package verify

import "github.com/svc-edge/svc-verify/finding"

// Code names a defect. The constants of the form (json.*, form.*) and of signatures
// (signature.*) are in the packages that find them.
type Code = finding.Code

// Finding is one defect of a bundle.
type Finding = finding.InDocument

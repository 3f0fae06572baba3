package trustfile

import "github.com/svc-edge/svc-verify/finding"

// Warning is the severity of a notice about something that is almost certainly a mistake. The
// other severity is [finding.Info], for settings that may be intended. A file without warnings
// is fit for use.
const Warning finding.Severity = "warning"

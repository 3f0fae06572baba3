package read_test

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
)

// Half a last line is no damage, whatever wraps the lines. Half a line before is.
func TestHalfALine(t *testing.T) {
	bodies := dumps.Bodies(2)
	for name, form := range map[string]func(body string) string{
		"bare":   func(b string) string { return b },
		"syslog": func(b string) string { return "<134>1 2026-03-02T09:00:00Z host edge 1 - - " + b },
		"csv":    func(b string) string { return `2026-03-02,"` + strings.ReplaceAll(b, `"`, `""`) + `"` },
		"tsv":    func(b string) string { return "2026-03-02\t" + b },
		"text":   func(b string) string { return "starting " + b },
		"cri":    func(b string) string { return "2026-03-02T09:00:00Z stdout F " + b },
		"docker": func(b string) string {
			return `{"log":` + dumps.Quote(b+"\n") + `,"stream":"stdout","time":"2026-03-02T09:00:00Z"}`
		},
		"foreign": func(b string) string { return `{"level":"info","text":` + dumps.Quote(b) + `}` },
		"kafka": func(b string) string {
			return `{"topic":"t","partition":0,"offset":1,"payload":` + dumps.Quote(b) + `}`
		},
	} {
		whole, half := form(string(bodies[0]))+"\n", form(string(bodies[1]))[:500]
		head := map[string]string{"csv": "time,line\n", "tsv": "time\tline\n"}[name]
		for end, want := range map[string]finding.Code{"": finding.SourcePartialTail, "\n" + whole: ""} {
			found := &sound(t, []byte(head+whole+half+end), read.Options{}).Found
			codes := found.Codes()
			if len(found.Records) != 1+strings.Count(end, "\n")/2 || len(codes) != 1 ||
				(codes[0] == finding.SourcePartialTail) != (want != "") || codes[0] == finding.SourceNoRecord {
				t.Errorf("%s, %q behind it: %d records, %v", name, end, len(found.Records), codes)
			}
		}
	}
}

package read_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// The place of a line covers all its records.
func TestPlaceOfALine(t *testing.T) {
	a := string(dumps.Bodies(1)[0])
	first := cri("stderr", "F", "x")
	dump := first + cri("stdout", "P", a[:50]) + cri("stderr", "F", "x") + cri("stdout", "F", a[50:])
	found := valueAt(t, []byte(dump), read.Options{})
	got := found.Records[0].Place
	check.That(t, got.Offset == int64(len(first)) && got.Offset+got.Length == int64(len(dump)-1),
		"%+v, want from %d to %d", got, len(first), len(dump)-1)
}

// Batch ids of any part are ids of the line, and the time is the first part's.
func TestIDsOfALine(t *testing.T) {
	a := string(dumps.Bodies(1)[0])
	one := `{"log":` + dumps.Quote(a[:50]) +
		`,"stream":"stdout","attrs":{"x-svc-edge-audit-batch":"one"},"time":"2026-03-02T09:00:00Z"}` + "\n"
	two := `{"log":` + dumps.Quote(a[50:]+"\n") +
		`,"stream":"stdout","X_SVC_Edge_Audit_Batch":"two","time":"2026-03-02T10:00:00Z"}` + "\n"
	other := docker("stderr", a+"\n")
	found := valueAt(t, []byte(one+other+two+other), read.Options{})
	for i, want := range [][]read.Batch{nil, {{ID: "one", Where: read.InRecord}, {ID: "two", Where: read.InRecord}}, nil} {
		got := found.Records[i]
		check.That(t, slices.Equal(got.Batches, want), "record %d has %v, want %v", i, got.Batches, want)
	}
	got := found.Records[1].ObservedTime
	check.That(t, got == 1772442000_000000000, "time %d", got)
}

// Open lines use no more memory than one unit may, and lines that were closed for that are
// reported.
func TestOpenLinesAreBounded(t *testing.T) {
	limits := read.Options{Limits: read.Limits{Unit: 1000}}
	part := cri("stdout", "P", strings.Repeat("x", 100))
	long := valueAt(t, []byte(strings.Repeat(part, 50)+cri("stdout", "F", "")+cri("stdout", "F", `{"a":1}`)), limits)
	want := []finding.Code{finding.SourceLimit, finding.SourceNoRecord}
	check.That(t, slices.Equal(long.Codes(), want), "%v, want %v", long.Codes(), want)
	var many strings.Builder
	for i := range 3000 {
		many.WriteString(fluentd(fmt.Sprint(i), 1, false, `{"body":`))
	}
	found := valueAt(t, []byte(many.String()), read.Options{})
	count := map[finding.Code]int{}
	for _, code := range found.Codes() {
		count[code]++
	}
	check.That(t, count[finding.NotRead] == 3000-1024 && count[finding.SourcePartialTail] == 1024, "%v", count)
	cut := cri("stdout", "P", `{"body":`) + strings.Repeat("x", 2000) + "\n" + cri("stdout", "F", "{}}")
	want, got := []finding.Code{finding.SourceLimit, finding.NotRead},
		valueAt(t, []byte(cut), limits).Codes()
	check.That(t, slices.Equal(got, want), "%v, want %v", got, want)
	large := ""
	for i := range 20 {
		large += fluentd("x", i+2, false, "y")
	}
	codes := valueAt(t, []byte(large+fluentd("x", 22, true, "")), limits).Codes()
	check.That(t, slices.Equal(codes,
		[]finding.Code{finding.SourceLimit}), "%v", codes)
}

// Lines that are cut anywhere, and whose parts are among parts of other lines, are joined
// exactly.
func TestAnyCut(t *testing.T) {
	bodies := dumps.Bodies(8)
	forms := map[string]func(output int, n int, last bool, text string) string{
		"cri": func(output, _ int, last bool, text string) string {
			return cri([]string{"stdout", "stderr"}[output], map[bool]string{false: "P", true: "F"}[last], text)
		},
		"docker": func(output, _ int, last bool, text string) string {
			return `{"log":` + dumps.Quote(text+map[bool]string{true: "\n"}[last]) + `,"stream":"` +
				[]string{"stdout", "stderr"}[output] +
				`","time":"2026-03-02T09:00:00Z"}` + "\n"
		},
		"fluentd": func(output, n int, last bool, text string) string {
			return strings.Replace(fluentd(fmt.Sprint(output), n, last, "@"), `"@"`, dumps.Quote(text), 1)
		},
		"systemd": func(output, _ int, last bool, text string) string {
			return entry("MESSAGE="+text, fmt.Sprintf("_STREAM_ID=%d", output),
				"_LINE_BREAK="+map[bool]string{false: "line-max", true: "nul"}[last])
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		write := forms[rapid.SampledFrom([]string{"cri", "docker", "fluentd", "systemd"}).Draw(t, "form")]
		var dump strings.Builder
		var want [][]byte
		next, left, whole, ordinal := 0, [2][]byte{}, [2][]byte{}, [2]int{}
		for next < len(bodies) || len(left[0])+len(left[1]) > 0 {
			output := rapid.IntRange(0, 1).Draw(t, "output")
			if len(left[output]) == 0 {
				if next == len(bodies) {
					output = 1 - output
				} else {
					left[output], whole[output], ordinal[output] = bodies[next], bodies[next], 0
					next++
				}
			}
			text := left[output]
			n := min(rapid.SampledFrom([]int{1, 7, 40, 300, 5000}).Draw(t, "cut"), len(text))
			left[output] = text[n:]
			ordinal[output]++
			last := n == len(text)
			dump.WriteString(write(output, ordinal[output], last, string(text[:n])))
			if last {
				want = append(want, whole[output])
			}
		}
		found := &sound(t, []byte(dump.String()), read.Options{}).Found
		if got := found.Bodies(); !slices.EqualFunc(got, want, bytes.Equal) || len(found.Skips) > 0 {
			t.Fatalf("%d lines of %d, or others: %+v\n%s", len(got), len(want), found.Skips, dump.String())
		}
	})
}

// Of a line with something skipped in it, only an event is taken whose hash is
// right: it shows that nothing is missing.
func TestDamagedLine(t *testing.T) {
	key := seal.Key{ID: "berlin", Private: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
	event := seal.NewLog("acme",
		"node/berlin").Append(seal.Entry{Type: "policy.synced", OccurredAt: time.Unix(1772442000, 0),
		Data: seal.Object{"detail": "abcdefghij"}}, key)
	line := string(seal.Canonical(event))
	cut := strings.Index(line, "def")
	for name, c := range map[string]struct {
		dump   string
		events int
		codes  []finding.Code
	}{
		"text between": {cri("stdout", "P", line[:cut]) + "noise\n" + cri("stdout", "F", line[cut:]), 1,
			[]finding.Code{finding.SourceNoRecord}},
		"a part is cut": {cri("stdout", "P", line[:cut]) + "noise\n" + cri("stdout", "F", line[cut+3:]), 0,
			[]finding.Code{finding.SourceNoRecord, finding.NotRead}},
		"nothing between": {cri("stdout", "P", line[:cut]) + cri("stdout", "F", line[cut+3:]), 1, []finding.Code{}},
	} {
		found := valueAt(t, []byte(c.dump), read.Options{})
		check.That(t, len(found.Records) == c.events && slices.Equal(found.Codes(), c.codes),
			"%s: %d events and %v, want %d and %v", name, len(found.Records), found.Codes(), c.events, c.codes)
	}
}

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
			check.That(t, len(found.Records) == 1+strings.Count(end, "\n")/2 && len(codes) == 1 &&
				(codes[0] == finding.SourcePartialTail) == (want != "") && codes[0] != finding.SourceNoRecord,
				"%s, %q behind it: %d records, %v", name, end, len(found.Records), codes)
		}
	}
}

// cri is a line of a container's log.
func cri(output, tag, text string) string {
	return "2026-03-02T09:00:00.123456789Z " + output + " " + tag + " " + text + "\n"
}

// docker is a record of Docker's json-file.
func docker(output, text string) string {
	b := must.Have(json.Marshal(map[string]string{"log": text, "stream": output,
		"time": "2026-03-02T09:00:00.123456789Z"}))
	return string(b) + "\n"
}

// fluentd is a record of Docker's driver for fluentd.
func fluentd(id string, ordinal int, last bool, text string) string {
	b := must.Have(json.Marshal(map[string]string{"container_id": "c", "source": "stdout", "log": text,
		"partial_message": "true",
		"partial_id":      id, "partial_ordinal": fmt.Sprint(ordinal), "partial_last": fmt.Sprint(last)}))
	return string(b) + "\n"
}

// entry is an entry of a systemd journal in its export form.
func entry(fields ...string) string {
	return "__CURSOR=s=1\n" + strings.Join(fields, "\n") + "\n\n"
}

// TestCommas: a comma behind a record is no damage, as in a list. At the end of a file more can have followed.
func TestCommas(t *testing.T) {
	one := string(dumps.Bodies(1)[0])
	for dump, codes := range map[string][]finding.Code{
		one + ",\n" + one + "\n":       {finding.SourceNoRecord},
		one + ", " + one + ",\n" + one: {finding.SourceNoRecord, finding.SourceNoRecord},
		one + ",\n" + one + ",\n":      {finding.SourceNoRecord, finding.SourcePartialTail},
		one + ",,\n" + one + "\n":      {finding.SourceTrailingData},
		one + "]\n" + one + "\n":       {finding.SourceTrailingData},
	} {
		a := sound(t, []byte(dump), read.Options{})
		check.That(t, len(a.Records) >= 2 && slices.Equal(a.Codes(), codes), "%d records, %v: %.40q", len(a.Records),
			a.Codes(), strings.ReplaceAll(dump, one, "{}"))
	}
}

// TestFidelityOfOne: an event that is cut within a character is lossy, and the one behind it is not.
func TestFidelityOfOne(t *testing.T) {
	const at = "2026-03-02T09:00:01.500000000Z "
	events := textsOf(spelledEvents(3))
	before, after, _ := strings.Cut(events[2], "日")
	long := before + strings.Repeat("日", 30_000) + "\xe6" + at + "\x97\xa5" + after
	dump := at + events[1] + "\n" + at + long + "\n" + at + events[1] + "\n"
	var got []read.Fidelity
	for _, r := range valueAt(t, []byte(dump), read.Options{}).Records {
		got = append(got, r.Fidelity)
	}
	check.That(t, slices.Equal(got, []read.Fidelity{read.Exact, read.Lossy, read.Exact}), "%v", got)
}

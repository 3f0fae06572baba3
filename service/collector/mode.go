package collector

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"go.opentelemetry.io/collector/pdata/plog"
	collogs "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	"google.golang.org/protobuf/proto"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
)

// Mode is how a collector behaves.
type Mode string

// The modes. Those that lose an answer keep the request, which makes them hard for an
// exporter.
const (
	Accept       Mode = "accept"          // keeps all and acknowledges it
	Down         Mode = "down"            // refuses connections
	Slow         Mode = "slow"            // keeps all, and answers after the client has given up: never
	Reject400    Mode = "reject-400"      // keeps nothing
	Reject429    Mode = "reject-429"      // keeps nothing
	Reject503    Mode = "reject-503"      // keeps nothing
	Partial      Mode = "partial"         // keeps the first half, rejects the rest
	GarbageBody  Mode = "garbage-body"    // keeps all, answers 200 with a body that is no protobuf
	GarbageType  Mode = "garbage-type"    // keeps all, answers 200 with a page
	GarbageLarge Mode = "garbage-large"   // keeps all, answers 200 with a body that never seems to end
	Torn         Mode = "torn"            // keeps all, and drops the connection within the answer
	Lost         Mode = "lost"            // keeps all, and drops the connection before the answer
	Redirect     Mode = "redirect"        // keeps nothing, and sends the client elsewhere
	RedirectGet  Mode = "redirect-to-get" // the same with a status that turns a POST into a GET
)

// Modes returns all modes, ascending.
func Modes() []Mode {
	return append(slices.Sorted(maps.Keys(behaviours)), Down)
}

// ParseMode reads the name of a mode.
func ParseMode(name string) (Mode, error) { return form.OneOf(name, Modes()) }

// behaviour is how a mode handles a request.
type behaviour struct {
	keep   func(plog.Logs) (rejected int)
	answer func(w http.ResponseWriter, r *http.Request, rejected int)
}

var behaviours = map[Mode]behaviour{
	Accept:       {keepAll, acknowledgeRequest},
	Slow:         {keepAll, waitForEnd},
	Reject400:    {keepNothing, answerStatus(http.StatusBadRequest)},
	Reject429:    {keepNothing, answerStatus(http.StatusTooManyRequests)},
	Reject503:    {keepNothing, answerStatus(http.StatusServiceUnavailable)},
	Partial:      {keepHalf, acknowledgeRequest},
	GarbageBody:  {keepAll, answerContent(mediaType, []byte("\x0a\xffthis is no message"))},
	GarbageType:  {keepAll, answerContent("text/html; charset=utf-8", []byte("<!doctype html><title>Sign in</title>"))},
	GarbageLarge: {keepAll, answerContent(mediaType, largeMessage())},
	Torn:         {keepAll, tearAnswer},
	Lost:         {keepAll, dropConnection},
	Redirect:     {keepNothing, answerRedirect(http.StatusTemporaryRedirect)},
	RedirectGet:  {keepNothing, answerRedirect(http.StatusFound)},
}

func keepAll(plog.Logs) int { return 0 }

func keepNothing(logs plog.Logs) int { return rejectLast(logs, logs.LogRecordCount()) }

func keepHalf(logs plog.Logs) int { return rejectLast(logs, (logs.LogRecordCount()+1)/2) }

// rejectLast removes the last n records.
func rejectLast(logs plog.Logs, n int) int {
	keep := logs.LogRecordCount() - n
	eachRecords(logs, func(records plog.LogRecordSlice) {
		records.RemoveIf(func(plog.LogRecord) bool {
			keep--
			return keep < 0
		})
	})
	return n
}

func eachRecords(logs plog.Logs, f func(plog.LogRecordSlice)) {
	for _, resource := range logs.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			f(scope.LogRecords())
		}
	}
}

// acknowledgeRequest answers as OTLP demands: an ExportLogsServiceResponse, which is
// empty if nothing was rejected.
func acknowledgeRequest(w http.ResponseWriter, _ *http.Request, rejected int) {
	var answer collogs.ExportLogsServiceResponse
	if rejected > 0 {
		answer.PartialSuccess = &collogs.ExportLogsPartialSuccess{
			RejectedLogRecords: int64(rejected), ErrorMessage: "told to",
		}
	}
	writeBody(w, mediaType, seal.Must(proto.Marshal(&answer)))
}

// waitForEnd answers nothing until the client or the collector is gone.
func waitForEnd(_ http.ResponseWriter, r *http.Request, _ int) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// dropConnection ends the connection.
func dropConnection(http.ResponseWriter, *http.Request, int) { panic(http.ErrAbortHandler) }

func answerStatus(code int) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) { http.Error(w, "told to", code) }
}

func answerContent(kind string, body []byte) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) { writeBody(w, kind, body) }
}

// tearAnswer promises more than it writes, so that the server closes the connection.
func tearAnswer(w http.ResponseWriter, _ *http.Request, _ int) {
	w.Header().Set("Content-Length", "100")
	writeBody(w, mediaType, []byte("\x0a\x00"))
}

func answerRedirect(code int) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, r *http.Request, _ int) { http.Redirect(w, r, Path, code) }
}

// largeMessage is a valid message: one unknown field, of 1 MiB.
func largeMessage() []byte {
	const size = 1 << 20
	return append([]byte("\x7a\x80\x80\x40"), bytes.Repeat([]byte{' '}, size)...)
}

func writeBody(w http.ResponseWriter, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	if w.Header().Get("Content-Length") == "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	// A client that is gone sends again.
	_, _ = w.Write(body)
}

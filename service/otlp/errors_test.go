package otlp

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/collector"
)

// TestAnswers judges answers that no mode of the collector gives.
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		kind, body string
		status     int
		want       string
	}{
		"empty":               {mediaType, "", 200, ""},
		"a parameter":         {mediaType + "; charset=binary", "", 200, ""},
		"nothing was partial": {mediaType, "\x0a\x00", 200, ""},
		"a remark":            {mediaType, "\x0a\x05\x12\x03\x1b[m", 200, ""},
		"unknown fields":      {mediaType, "\x12\x00\x0a\x02\x18\x05", 200, ""},
		"exactly 64 KiB":      {mediaType, "\x7a\xfc\xff\x03" + strings.Repeat(" ", 65532), 200, ""},
		"one byte more":       {mediaType, "\x7a\xfd\xff\x03" + strings.Repeat(" ", 65533), 200, ResponseInvalid},
		"one rejected":        {mediaType, "\x0a\x02\x08\x01", 200, PartialSuccess},
		"fewer than none":     {mediaType, "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 200, ResponseInvalid},
		"no media type":       {"", "", 200, ResponseInvalid},
		"JSON":                {"application/json", "{}", 200, ResponseInvalid},
		"no UTF-8":            {mediaType, "\x0a\x03\x12\x01\xff", 200, ResponseInvalid},
		"created":             {mediaType, "", 201, CollectorRejected},
		"no content":          {mediaType, "", 204, CollectorRejected},
		"not modified":        {mediaType, "", 304, TransportFailed},
		"not found":           {mediaType, "", 404, CollectorRejected},
	} {
		t.Run(name, func(t *testing.T) {
			answer := httptest.NewRecorder()
			if c.kind != "" {
				answer.Header().Set("Content-Type", c.kind)
			}
			answer.WriteHeader(c.status)
			answer.WriteString(c.body)
			_, err := judgeAnswer(answer.Result())
			check.Equal(t, code(err), c.want, "code")
		})
	}
}

func code(err error) string {
	var f *failure
	if errors.As(err, &f) {
		return f.code
	}
	return ""
}

// TestRemarkIsQuoted: a collector's remark reaches the log in printable form.
func TestRemarkIsQuoted(t *testing.T) {
	b := newBench(t)
	var log must.Text
	c := b.config()
	c.Log = logTo(&log)
	c.Export.Endpoint = b.serve(&tls.Config{}, func(*http.Request) string { return "\x0a\x05\x12\x03\x1b[m" })
	b.append(1, 10)
	e, stop := b.run(c)
	b.drained(e)
	stop()
	text := log.String()
	check.That(t, !strings.ContainsRune(text, '\x1b') && strings.Contains(text, `\\x1b[m`), "%v", text)
}

// TestCursorCommitFailed: while another process has the database locked, the
// batch is sent again and again; afterwards the cursor moves.
func TestCursorCommitFailed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other := must.Get(sql.Open("sqlite", "file:"+b.path("state/state.db")))(b)
	defer other.Close()
	other.SetMaxOpenConns(1)
	b.append(7, 10)
	c := b.config()
	locked := false
	c.Sign = func(statement seal.Object) seal.Object {
		if !locked { // the batch was taken, and the cursor is yet to be written
			locked = true
			must.Get(other.Exec("BEGIN IMMEDIATE"))(b)
		}
		return sign(statement)
	}
	e, _ := b.run(c)
	must.Eventually(b, "a failure", func() bool { return e.Status().Failures > 0 })
	s := e.Status()
	check.That(t, s.ErrorCode == CursorCommitFailed && s.Cursor == 0 && b.cursor() == nil, "%v", describe(s))
	must.Get(other.Exec("ROLLBACK"))(b)
	b.drained(e)
	all := b.deliveries()
	again := b.checkDeliveries(all)
	check.That(t, again >= 1, "%d deliveries again", again)
	b.checkCursor(all[len(all)-1])
}

// TestPendingBatchNotDurable: a batch that cannot be written down is not sent.
func TestPendingBatchNotDurable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other := must.Get(sql.Open("sqlite", "file:"+b.path("state/state.db")))(b)
	defer other.Close()
	b.append(7, 10)
	must.Get(other.Exec("CREATE TRIGGER full BEFORE INSERT ON document BEGIN SELECT RAISE(FAIL, 'disk full'); END"))(b)
	b.failing(b.config(), CursorCommitFailed)
	check.Equal(t, b.collector.Counts().Requests, 0, "requests")
}

// TestEndsWhileWaiting: the end of the context ends a request that is never
// answered, and is no failure.
func TestEndsWhileWaiting(t *testing.T) {
	b := newBench(t)
	must.Do(b, b.collector.SetMode(collector.Slow))
	b.append(1, 10)
	c := b.config()
	c.Export.RequestTimeout = time.Hour
	e := must.Get(New(c))(b)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	must.Eventually(b, "a request", func() bool { return b.collector.Counts().Records == 1 })
	cancel()
	if err := <-ended; err != nil || e.Status().Failures != 0 {
		t.Error(err, describe(e.Status()))
	}
}

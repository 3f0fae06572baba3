package secretstore

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// all makes each request of a client.
func (r *rig) all() map[string]error {
	_, _, read := r.Read(r.Context(), "pointer")
	_, metadata := r.Metadata(r.Context(), "pointer")
	_, write := r.Write(r.Context(), "pointer", 0, testRecord("a"))
	return map[string]error{"read": read, "metadata": metadata, "write": write}
}

// TestClientLimits: an answer may neither be too long nor stop in the middle, and
// is not unpacked.
func TestClientLimits(t *testing.T) {
	long := func(n int) string { return readText + strings.Repeat(" ", n-len(readText)) }
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write([]byte(readText))
	_ = z.Close()
	for name, c := range map[string]struct {
		answer string
		why    string // "" if it is taken
	}{
		"as long as may be": {long(maxAnswer), ""},
		"longer":            {long(maxAnswer + 1), "at most 1048576 bytes"},
	} {
		r := newRig(t)
		r.serve(reply(http.StatusOK, c.answer))
		if _, _, err := r.Read(t.Context(), "pointer"); c.why == "" && err != nil || c.why != "" &&
			(err == nil || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, answer := range map[string]string{
		"packed": fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", head, bomb.Len(),
			bomb.String()),
		"cut off": fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(readText)+1, readText),
		"chunks cut off": fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", head, len(readText),
			readText),
		"a header too long": fmt.Sprintf("%sX: %s\r\nContent-Length: %d\r\n\r\n%s", head,
			strings.Repeat("x", 24<<10), len(readText), readText),
		"two lengths": fmt.Sprintf("%sContent-Length: %d\r\nContent-Length: 1\r\n\r\n%s", head, len(readText),
			readText),
		"no answer":            "",
		"half a status line":   "HTTP/1.1 20",
		"another protocol":     "SSH-2.0-x\r\n\r\n",
		"a change of protocol": "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
	} {
		r := newRig(t)
		r.rawServer(answer)
		for what, err := range r.all() {
			check.That(t, err != nil && !errors.Is(err, ErrAbsent) && !errors.Is(err, ErrConflict),
				"%s: %s: %v", name, what, err)
		}
	}
	r := newRig(t)
	r.rawServer(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(readText), readText))
	_, _, err := r.Read(t.Context(), "pointer")
	check.That(t, err == nil, "%v", err)
}

// TestClientTimeout: a request has one time in all, which begins anew for none of its parts.
// The error is not the caller's context error.
func TestClientTimeout(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"no answer": func(_ http.ResponseWriter, q *http.Request) { hold(q) },
		"half an answer": func(w http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body)
			w.Header().Set("Content-Type", jsonType)
			fmt.Fprint(w, readText[:20])
			_ = http.NewResponseController(w).Flush()
			hold(q)
		},
		"an answer without end": func(w http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body)
			w.Header().Set("Content-Type", jsonType)
			for q.Context().Err() == nil {
				fmt.Fprint(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Millisecond) // slow, as an attacker is
			}
			hold(q)
		},
	} {
		r := newRig(t)
		r.settings.RequestTimeout = 200 * time.Millisecond
		r.serve(h)
		for what, err := range r.all() {
			check.That(t, err != nil && !errors.Is(err, context.DeadlineExceeded) &&
				(strings.Contains(err.Error(), "deadline exceeded") || strings.Contains(err.Error(), "timeout")),
				"%s: %s: %v", name, what, err)
		}
	}
}

// hold keeps a request until its client is gone, which only a server that has read the body
// notices, and ends the connection without an end of the answer.
func hold(q *http.Request) {
	_, _ = io.Copy(io.Discard, q.Body)
	<-q.Context().Done()
	panic(http.ErrAbortHandler)
}

// leaks reports whether a text contains anything that must not be shown.
func leaks(text string) bool {
	low := strings.ToLower(strings.Join(strings.Fields(text), ""))
	return strings.Contains(low, "-----begin") || sharesToken(low, strings.ToLower(testToken))
}

// TestClientRepeatsNothing: a store that sends back the token, or a key, does not
// get it into an error.
func TestClientRepeatsNothing(t *testing.T) {
	key := string(testca.PrivateKey(testca.NewKey()))
	body := strings.Split(key, "\n")[1]
	texts := []string{
		testToken, "your token is " + testToken + ".", strings.ToUpper(testToken), testToken[:12] + "\n" + testToken[12:],
		testToken[10:], "\t" + testToken[:9], key, body, "-----BEGIN PRIVATE KEY-----", "----- begin", "control \x1b[31m",
		"bidi \u202e", "\u00e9",
		strings.Repeat("long ", 100), strings.Repeat("x", maxWord+1), "",
	}
	document := must.Get(json.Marshal(map[string]any{"errors": texts, "warnings": texts, "data": texts}))(t)
	for _, status := range []int{200, 204, 301, 400, 403, 404, 500, 503} {
		r := newRig(t)
		r.serve(reply(status, string(document)))
		for what, err := range r.all() {
			var refusal *RefusedError
			check.That(t, err != nil && !leaks(err.Error()) && len(err.Error()) <= 200 &&
				(!errors.As(err, &refusal) || len(refusal.Errors) == 0), "%d: %s: %v", status, what, err)
		}
	}
	for _, text := range texts[:8] {
		line := strings.ReplaceAll(text, "\n", " ")
		for _, raw := range []string{line + "\r\n\r\n", "HTTP/1.1 " + line + "\r\n\r\n", "HTTP/1.1 200 OK\r\n" + line +
			"\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: " + line + "\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: " +
			line + "\r\n\r\n"} {
			r := newRig(t)
			r.rawServer(raw)
			for what, err := range r.all() {
				check.That(t, err != nil && !leaks(err.Error()) && !strings.Contains(err.Error(), body),
					"%q: %s: %v", raw, what, err)
			}
		}
	}
	// The near miss: a store's honest message is reported, in one line.
	r := newRig(t)
	r.serve(reply(http.StatusForbidden, `{"errors":["1 error occurred:\n\t* permission denied\n\n","hvs.CAE"]}`))
	for what, err := range r.all() {
		if err == nil || err.Error() != "the store answers with status 403: 1 error occurred: * permission denied; hvs.CAE" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestManyErrors: no more texts are shown than fit.
func TestManyErrors(t *testing.T) {
	a := answer{status: 500, document: []byte(`{"errors":["x"` + strings.Repeat(`,"x"`, 1000) + `]}`)}
	var refusal *RefusedError
	check.That(t, errors.As(a.refusal(), &refusal) && len(refusal.Errors) == maxTexts, "%v", refusal)
}

// FuzzAnswer: no answer makes the client panic, or say more than it may.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{readText, metadataText, writtenText, deletedText, absentText, conflictBody,
		`{"errors":["` + testToken + `"]}`} {
		for _, status := range []int{200, 400, 404} {
			f.Add(status, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, status int, document []byte) {
		a := answer{status, document, testToken}
		_, _, read := readVersion(document)
		_, metadata := currentVersion(document)
		_, gone := goneVersion(document)
		_, written := writtenVersion(document, 1)
		for _, err := range []error{read, metadata, gone, written, a.refusal()} {
			check.That(t, err == nil || !leaks(err.Error()) && len(err.Error()) <= maxTexts*maxText+100 &&
				!strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r > '~' }), "%v", err)
		}
		check.That(t, !a.absent() || !a.conflict(), "both absent and in conflict")
	})
}

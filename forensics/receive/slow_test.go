package receive

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// raw sends bytes over a connection of its own, ends its side of it, and
// returns the status of the answer.
func (s *sink) raw(head string, body []byte) (int, error) {
	config := oslo().Transport.(*http.Transport).TLSClientConfig.Clone()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(s.base, "https://"), config)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, head+string(body)); err != nil {
		return 0, err
	}
	_ = conn.CloseWrite() // fails where the head alone was refused, and answered
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	return answer.StatusCode, nil
}

// TestLostConnection: a body that does not arrive whole shows nothing about the request, which
// is put off and not refused, compressed or not.
func TestLostConnection(t *testing.T) {
	s := start(t, options(t.TempDir()))
	body := proto(journal()[:5]...)
	for encoding, body := range map[string][]byte{"identity": body, "gzip": must.Gzip(body)} {
		head := fmt.Sprintf(
			"POST /v1/logs HTTP/1.1\r\nHost: sink\r\nContent-Type: %s\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n",
			typeProto, encoding, len(body))
		for _, n := range []int{0, 1, len(body) / 2, len(body) - 1} {
			if status, err := s.raw(head, body[:n]); err != nil || status != http.StatusServiceUnavailable {
				t.Errorf("%s, %d of %d bytes: %d, %v", encoding, n, len(body), status, err)
			}
		}
		status, err := s.raw(head, body)
		check.That(t, err == nil && status == http.StatusOK, "%s: %d, %v", encoding, status, err)
	}
	got := s.stop()
	check.That(t, got.Requests == 2 && got.Refused == 8 && got.Events == 10, "%+v", got)
}

// TestFraming: a body is read whole or not acknowledged, however the request states its end,
// and a trailer is no header.
func TestFraming(t *testing.T) {
	s := start(t, options(t.TempDir()))
	body := string(proto(journal()[:2]...))
	chunks := fmt.Sprintf("%x\r\n%s\r\n%x\r\n%s\r\n0\r\n", 9, body[:9], len(body)-9, body[9:])
	for name, c := range map[string]struct {
		head, body string
		want       int
	}{
		"with its length": {fmt.Sprintf("Content-Length: %d\r\n", len(body)), body, http.StatusOK},
		"in chunks":       {"Transfer-Encoding: chunked\r\n", chunks + "\r\n", http.StatusOK},
		"with a trailer": {"Transfer-Encoding: chunked\r\nTrailer: X-Svc-Edge-Audit-Batch\r\n",
			chunks + "X-Svc-Edge-Audit-Batch: stray\r\n\r\n", http.StatusOK},
		"empty":            {"Content-Length: 0\r\n", "", http.StatusOK},
		"without a length": {"", body, http.StatusLengthRequired},
		"with two lengths": {fmt.Sprintf("Content-Length: %d\r\nContent-Length: 3\r\n", len(body)), body,
			http.StatusBadRequest},
		"of a negative length": {"Content-Length: -1\r\n", body, http.StatusBadRequest},
		"shorter than it is":   {fmt.Sprintf("Content-Length: %d\r\n", len(body)-1), body, http.StatusBadRequest},
		"longer than it is":    {fmt.Sprintf("Content-Length: %d\r\n", len(body)+1), body, http.StatusServiceUnavailable},
		"longer than any":      {"Content-Length: 4611686018427387904\r\n", body, http.StatusRequestEntityTooLarge},
		"chunks without end":   {"Transfer-Encoding: chunked\r\n", chunks[:len(chunks)-3], http.StatusServiceUnavailable},
		"no chunks":            {"Transfer-Encoding: chunked\r\n", body, http.StatusServiceUnavailable},
		"another coding":       {"Transfer-Encoding: gzip, chunked\r\n", chunks + "\r\n", http.StatusNotImplemented},
	} {
		head := "POST /v1/logs HTTP/1.1\r\nHost: sink\r\nConnection: close\r\nContent-Type: " + typeProto + "\r\n" + c.head +
			"\r\n"
		status, err := s.raw(head, []byte(c.body))
		check.That(t, err == nil && status == c.want, "%s: %d, %v, want %d", name, status, err, c.want)
	}
	got := s.stop()
	check.That(t, got.Events == 6, "%d events, want those of three requests", got.Events)
}

// TestPipelining: requests that come before the one in front was answered are
// answered in turn, and each is kept.
func TestPipelining(t *testing.T) {
	const requests = 20
	s := start(t, options(t.TempDir()))
	conn := must.Get(tls.Dial("tcp", strings.TrimPrefix(s.base, "https://"),
		oslo().Transport.(*http.Transport).TLSClientConfig.Clone()))(t)
	defer conn.Close()
	var all strings.Builder
	for _, line := range journal()[:requests] {
		body := proto(line)
		fmt.Fprintf(&all, "POST /v1/logs HTTP/1.1\r\nHost: sink\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
			typeProto, len(body), body)
	}
	must.Get(io.WriteString(conn, all.String()))(t)
	answers := bufio.NewReader(conn)
	for n := range requests {
		answer, err := http.ReadResponse(answers, nil)
		must.That(t, err == nil, "answer %d: %v", n, err)
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("answer %d: %d, %v", n, answer.StatusCode, err)
		}
	}
	got := s.stop()
	check.That(t, got.Requests == requests && got.Events == requests, "%+v", got)
}

// TestLimitsOfTheServer: no one may take as long as they like, or send a head of
// any size.
func TestLimitsOfTheServer(t *testing.T) {
	s := start(t, options(t.TempDir()))
	h := s.server
	if h.ReadHeaderTimeout <= 0 || h.ReadTimeout < h.ReadHeaderTimeout || h.WriteTimeout <= h.ReadTimeout ||
		h.IdleTimeout <= 0 || stopTime <= h.ReadTimeout {
		t.Errorf("%v, %v, %v, %v", h.ReadHeaderTimeout, h.ReadTimeout, h.WriteTimeout, h.IdleTimeout)
	}
	head := "POST /v1/logs HTTP/1.1\r\nHost: sink\r\nX: " + strings.Repeat("x", 2*maxHead) + "\r\n\r\n"
	status, err := s.raw(head, nil)
	check.That(t, err == nil && status == http.StatusRequestHeaderFieldsTooLarge, "%d, %v", status, err)
}

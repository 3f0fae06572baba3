package receive

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// raw sends octets over a connection of its own, ends its side of it, and
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
	if err := conn.CloseWrite(); err != nil {
		return 0, err
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	return answer.StatusCode, nil
}

// TestLostConnection: a body that does not arrive whole says nothing about the
// request, which is put off and not refused, compressed or not.
func TestLostConnection(t *testing.T) {
	s := start(t, options(t.TempDir()))
	body := proto(journal()[:5]...)
	for encoding, body := range map[string][]byte{"identity": body, "gzip": zipped(body)} {
		head := fmt.Sprintf("POST /v1/logs HTTP/1.1\r\nHost: sink\r\nContent-Type: %s\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n", typeProto, encoding, len(body))
		for _, n := range []int{0, 1, len(body) / 2, len(body) - 1} {
			if status, err := s.raw(head, body[:n]); err != nil || status != http.StatusServiceUnavailable {
				t.Errorf("%s, %d of %d bytes: %d, %v", encoding, n, len(body), status, err)
			}
		}
		if status, err := s.raw(head, body); err != nil || status != http.StatusOK {
			t.Errorf("%s: %d, %v", encoding, status, err)
		}
	}
	if got := s.stop(); got.Requests != 2 || got.Refused != 8 || got.Events != 10 {
		t.Errorf("%+v", got)
	}
}

// TestLimitsOfTheServer: nobody may take as long as they like, or send a head of
// any size.
func TestLimitsOfTheServer(t *testing.T) {
	s := start(t, options(t.TempDir()))
	h := s.server
	if h.ReadHeaderTimeout <= 0 || h.ReadTimeout < h.ReadHeaderTimeout || h.WriteTimeout <= h.ReadTimeout || h.IdleTimeout <= 0 || stopTime <= h.ReadTimeout {
		t.Errorf("%v, %v, %v, %v", h.ReadHeaderTimeout, h.ReadTimeout, h.WriteTimeout, h.IdleTimeout)
	}
	head := "POST /v1/logs HTTP/1.1\r\nHost: sink\r\nX: " + strings.Repeat("x", 2*maxHead) + "\r\n\r\n"
	if status, err := s.raw(head, nil); err != nil || status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%d, %v", status, err)
	}
}

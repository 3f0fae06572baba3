package read

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http/httputil"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// maxHead is how large the head of a request may be.
const maxHead = 64 << 10

// isRequest reports whether b begins with a request as it is on the wire.
func isRequest(b []byte) bool {
	line, _, _ := bytes.Cut(b[:min(len(b), 4096)], []byte("\n"))
	return bytes.HasPrefix(line, postMagic) && bytes.Contains(line, []byte(" HTTP/1."))
}

var postMagic = []byte("POST /")

// readRequests reads requests of OTLP/HTTP as they were on the wire, one after the other. Bytes
// between them, such as responses, are skipped.
func (s *stream) readRequests() error { return s.eachPart(s.requestOrOther) }

// requestOrOther reads the request that comes next, or skips the bytes before it.
func (s *stream) requestOrOther() error {
	at, b := s.in.offset, s.in.peekBytes(maxHead)
	if isRequest(b) {
		return s.readRequest(at)
	}
	skip := Skip{Code: finding.SourceNoRecord, Detail: "no request with logs",
		Excerpt: bytes.Clone(b[:min(len(b), excerptSize)])}
	traces := false
	s.in.skipBytes(1)
	s.seekPlace(2*overlap, func(b []byte) int {
		before, _, found := bytes.Cut(b, postMagic)
		if traces = traces || unwrap.HasTraces(before); !found {
			return -1
		}
		return len(before)
	})
	s.noteFollowed(at)
	if traces {
		skip.Code, skip.Detail = finding.NotRead, "no request, and there is an event in it"
	}
	skip.Place = s.placeFrom(at)
	return s.skip(skip)
}

// head contains the relevant fields of the head of a request.
type head struct {
	length  int64 // of the body; -1 if it is not said
	chunked bool
}

// readRequest reads one request. The kind of its body, and its compression, are recognised by the
// body itself.
func (s *stream) readRequest(at int64) error {
	mark := len(s.batches)
	defer func() { s.batches = s.batches[:mark] }()
	b := s.in.peekBytes(maxHead)
	size := headSize(b)
	if size < 0 {
		return s.skipRest(finding.SourceUnparseable, "the head of a request does not end")
	}
	h := s.readHead(b[:size])
	s.in.skipBytes(size)
	var body io.Reader = io.LimitReader(s.in, max(h.length, 0))
	switch {
	case h.chunked:
		body = newChunks(s.in)
	case h.length < 0:
		body = s.in
	}
	start, before := s.in.offset, s.consumed
	err := s.readDecoded(fmt.Sprintf("request@%d", at), body)
	s.passUnit(at, before)
	if err != nil {
		return err
	}
	if c, ok := body.(*chunks); ok && !errors.Is(c.err, io.EOF) {
		return s.noteAt(s.in.offset, finding.SourceTruncated, "the chunks of a request do not end")
	}
	if missing := start + h.length - s.in.offset; missing > 0 && !h.chunked {
		return s.noteAt(s.in.offset, finding.SourceTruncated, fmt.Sprintf("%d bytes of a request are missing", missing))
	}
	return nil
}

// headSize returns the size of a head with the empty line at its end, -1 if it
// does not end.
func headSize(b []byte) int {
	for _, end := range []string{"\r\n\r\n", "\n\n"} {
		if i := bytes.Index(b, []byte(end)); i >= 0 {
			return i + len(end)
		}
	}
	return -1
}

// readHead reads the headers, and the batch ids in them.
func (s *stream) readHead(b []byte) head {
	h := head{length: -1}
	for line := range bytes.Lines(b) {
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		value = bytes.TrimSpace(value)
		switch strings.ToLower(string(name)) {
		case "content-length":
			if n, err := strconv.ParseInt(string(value), 10, 64); err == nil && n >= 0 {
				h.length = n
			}
		case "transfer-encoding":
			h.chunked = strings.EqualFold(string(value), "chunked")
		}
		if s.keys.hasBatchName(name) {
			s.addBatches(InHTTPHeader, value)
		}
	}
	return h
}

// chunks reads a body in chunks (RFC 9112, section 7.1), and the trailers after the last one.
type chunks struct {
	in     *input
	window *bufio.Reader
	body   io.Reader
	err    error
}

func newChunks(in *input) *chunks {
	window := bufio.NewReader(in)
	return &chunks{in: in, window: window, body: httputil.NewChunkedReader(window)}
}

// Read implements io.Reader.
func (c *chunks) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.body.Read(p)
	if c.err = err; err != nil {
		c.in.unreadBytes(c.window.Buffered())
	}
	for err == io.EOF && c.readLine() != "" { // a trailer
	}
	return n, err
}

// readLine reads a short line.
func (c *chunks) readLine() string {
	b, _ := c.in.peekLine(0, maxHead)
	b = b[:min(len(b), maxHead)]
	text := strings.TrimSpace(string(b))
	c.in.skipBytes(len(b))
	return text
}

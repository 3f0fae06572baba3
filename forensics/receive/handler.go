package receive

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// logsPath is where log records go.
const logsPath = "/v1/logs"

// After how many seconds a client is asked to try again.
const (
	soon     = 5  // other requests will be done by then
	afterAll = 30 // the operator may have to act
)

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	format, known := formatOf(r.Header.Get("Content-Type"))
	a := s.admitRequest(r, known)
	if a.status == 0 {
		a = s.receiveRequest(r, format)
	}
	a.format = format
	if a.status != http.StatusOK {
		s.counts.refused.Add(1)
		s.log(fmt.Sprintf("refused %d from %s at %s: %s", a.status, safetext.Quote(clientOf(r.TLS)),
			safetext.Quote(r.RemoteAddr), safetext.Line(a.message)))
	}
	a.sendAnswer(w)
}

// formatOf returns the format of a media type.
func formatOf(contentType string) (read.Format, bool) {
	kind, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return "", false
	case kind == typeProto:
		return read.OTLPProto, true
	case kind == typeJSON:
		return read.OTLPJSON, true
	}
	return "", false
}

// admitRequest refuses requests for faults outside the body; status 0 admits a request.
func (s *Server) admitRequest(r *http.Request, known bool) answer {
	encoding := r.Header.Values("Content-Encoding")
	switch {
	case r.URL.Path != logsPath:
		return refuseAs(http.StatusNotFound, "expected the path "+logsPath)
	case r.Method != http.MethodPost:
		a := refuseAs(http.StatusMethodNotAllowed, "expected the method POST")
		a.header, a.value = "Allow", http.MethodPost
		return a
	case r.ContentLength == 0 && r.Header.Get("Content-Length") == "":
		// An empty request is a valid one, so that a body without a length
		// would be acknowledged and not read.
		return refuseAs(http.StatusLengthRequired, "expected Content-Length, or Transfer-Encoding: chunked")
	case !known:
		return refuseAs(http.StatusUnsupportedMediaType, "expected Content-Type "+typeProto+" or "+typeJSON)
	case len(encoding) > 1 || !slices.Contains([]string{"", "identity", "gzip"}, strings.Join(encoding, "")):
		a := refuseAs(http.StatusUnsupportedMediaType, "expected no Content-Encoding, or gzip")
		a.header, a.value = "Accept-Encoding", "gzip"
		return a
	}
	return answer{}
}

// receiveRequest reads a request's body and has it kept.
func (s *Server) receiveRequest(r *http.Request, format read.Format) answer {
	b := &body{memory: &s.memory, client: clientOf(r.TLS)}
	defer b.dropBody()
	if err := b.readBody(r, s.maxBody); err != nil {
		return s.answerUnread(err)
	}
	at := s.now()
	head := ingest.Head{Format: format, Batches: r.Header.Values(read.BatchHeader), Client: clientOf(r.TLS),
		Remote: r.RemoteAddr, At: at}
	// A request that arrived whole is kept, whether or not its client still waits: the server
	// treats a closed writing side as a client that is gone.
	request, err := ingest.ReadRequest(context.WithoutCancel(r.Context()), head, b.bytes)
	var bad *ingest.NotOTLP
	switch {
	case errors.As(err, &bad):
		return refuseAs(http.StatusBadRequest, bad.Error())
	case err != nil:
		return refuseForNow(http.StatusServiceUnavailable, soon, "the request was not read to its end")
	case request.Empty():
		s.counts.requests.Add(1)
		return answer{status: http.StatusOK}
	}
	kept, err := s.archive.keepRequest(&job{client: head.Client, at: at, request: request, err: make(chan error, 1)})
	if err != nil {
		return s.notKept(err)
	}
	return s.answerKept(kept)
}

// answerUnread answers a request whose body could not be read.
func (s *Server) answerUnread(err error) answer {
	switch err {
	case errTooLarge:
		return refuseAs(http.StatusRequestEntityTooLarge,
			fmt.Sprintf("expected a body of at most %d bytes, also after decompression", s.maxBody))
	case errNoMemory:
		return refuseForNow(http.StatusTooManyRequests, soon, err.Error())
	case errConnection:
		return refuseForNow(http.StatusServiceUnavailable, soon, err.Error())
	}
	return refuseAs(http.StatusBadRequest, err.Error())
}

// notKept answers a request that the case did not take. The reason is no one's
// business but the operator's.
func (s *Server) notKept(err error) answer {
	s.log("the case: " + safetext.Line(err.Error()))
	if errors.Is(err, store.ErrBusy) {
		return refuseForNow(http.StatusServiceUnavailable, soon, "the case is in use")
	}
	return refuseForNow(http.StatusServiceUnavailable, afterAll, "the case cannot be written")
}

// answerKept answers a request that is in the case.
func (s *Server) answerKept(k ingest.Kept) answer {
	s.counts.requests.Add(1)
	s.counts.events.Add(k.Events)
	s.counts.others.Add(k.Others)
	s.counts.rejected.Add(k.Cut)
	a := answer{status: http.StatusOK, rejected: k.Cut}
	if k.Others > 0 {
		a.message = fmt.Sprintf(
			"%d log records are no events of an audit log; %d of them are larger than the part that is kept", k.Others, k.Cut)
	}
	return a
}

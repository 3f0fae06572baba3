package receive

import (
	"encoding/json"
	"net/http"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/forensics/read"
)

// The media types of OTLP/HTTP.
const (
	typeProto = "application/x-protobuf"
	typeJSON  = "application/json"
)

// answer is the response to a client.
type answer struct {
	format   read.Format // of the request; "" if it is neither of the two
	status   int
	message  string // printable ASCII
	rejected int64  // log records, of a request that was kept
	header   string // a header that goes with a refusal, and
	value    string // its value
}

func refuseAs(status int, message string) answer { return answer{status: status, message: message} }

// refuseForNow refuses a request for now.
func refuseForNow(status, seconds int, message string) answer {
	return answer{status: status, message: message, header: "Retry-After", value: strconv.Itoa(seconds)}
}

// grpcCodes are the codes of google.rpc.Code that go with a refusal. Those that
// a gateway would take for a reason to try again are used for nothing else.
var grpcCodes = map[int]int32{
	http.StatusBadRequest:            3,  // INVALID_ARGUMENT
	http.StatusNotFound:              5,  // NOT_FOUND
	http.StatusMethodNotAllowed:      12, // UNIMPLEMENTED
	http.StatusRequestEntityTooLarge: 3,
	http.StatusUnsupportedMediaType:  3,
	http.StatusTooManyRequests:       8,  // RESOURCE_EXHAUSTED
	http.StatusServiceUnavailable:    14, // UNAVAILABLE
}

// sendAnswer sends the answer in the form that the request had.
func (a answer) sendAnswer(w http.ResponseWriter) {
	kind, content := "text/plain; charset=utf-8", []byte(a.message+"\n")
	switch a.format {
	case read.OTLPProto:
		kind, content = typeProto, a.asProto()
	case read.OTLPJSON:
		kind, content = typeJSON, a.asJSON()
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	h.Set("X-Content-Type-Options", "nosniff")
	if a.header != "" {
		h.Set(a.header, a.value)
	}
	w.WriteHeader(a.status)
	// If the client is gone, it asks again.
	_, _ = w.Write(content)
}

// asProto is an ExportLogsServiceResponse or a google.rpc.Status.
func (a answer) asProto() []byte {
	number, text := uint64(a.rejected), protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), a.message)
	if a.status != http.StatusOK {
		number = uint64(grpcCodes[a.status])
	}
	var b []byte
	if number > 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), number)
	}
	if a.message != "" {
		b = append(b, text...)
	}
	if a.status != http.StatusOK || len(b) == 0 {
		return b
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), b) // partial_success
}

// asJSON is the same in the JSON form of protobuf, where a 64-bit number is text.
func (a answer) asJSON() []byte {
	type partial struct {
		Rejected int64  `json:"rejectedLogRecords,string,omitempty"`
		Message  string `json:"errorMessage"`
	}
	type status struct {
		Code    int32  `json:"code"`
		Message string `json:"message"`
	}
	var v any = status{grpcCodes[a.status], a.message}
	if a.status == http.StatusOK {
		v = struct{}{}
		if a.message != "" {
			v = map[string]partial{"partialSuccess": {a.rejected, a.message}}
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and text can always be written
	}
	return b
}

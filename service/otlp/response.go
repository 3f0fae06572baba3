package otlp

import (
	"errors"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// response is what an ExportLogsServiceResponse says.
type response struct {
	rejected int64  // log records that the collector did not take
	message  string // of the collector to people, any text
}

var errNotResponse = errors.New("the body is no ExportLogsServiceResponse")

// decodeResponse reads an ExportLogsServiceResponse as protobuf demands: fields
// that are not known are passed over, of a field that stands twice the last one
// counts, and text is UTF-8. The caller bounds the length.
func decodeResponse(b []byte) (r response, err error) {
	return r, eachField(b, func(field protowire.Number, kind protowire.Type, value []byte) error {
		if field != 1 || kind != protowire.BytesType {
			return nil
		}
		partial, _ := protowire.ConsumeBytes(value)
		return eachField(partial, r.partialSuccess)
	})
}

// partialSuccess takes over a field of an ExportLogsPartialSuccess.
func (r *response) partialSuccess(field protowire.Number, kind protowire.Type, value []byte) error {
	switch {
	case field == 1 && kind == protowire.VarintType:
		n, _ := protowire.ConsumeVarint(value)
		r.rejected = int64(n) //nolint:gosec // as protobuf writes an int64
	case field == 2 && kind == protowire.BytesType:
		text, _ := protowire.ConsumeString(value)
		if !utf8.ValidString(text) {
			return errNotResponse
		}
		r.message = text
	}
	return nil
}

// eachField calls f with every field of a message. The value is whole.
func eachField(b []byte, f func(protowire.Number, protowire.Type, []byte) error) error {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 || field > protowire.MaxValidNumber {
			return errNotResponse
		}
		b = b[n:]
		n = protowire.ConsumeFieldValue(field, kind, b)
		if n < 0 {
			return errNotResponse
		}
		if err := f(field, kind, b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

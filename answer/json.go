package answer

import (
	"io"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// JSON writes a value as one indented document in printable ASCII: a value out of
// evidence can hold a control character or a bidi mark, which JSON itself
// allows to stand as it is.
func JSON(w io.Writer, v any) error {
	doc, err := safetext.MarshalIndent(v, "")
	return writeLine(w, doc, err)
}

// JSONLine writes a value as one line of JSON in printable ASCII.
func JSONLine(w io.Writer, v any) error {
	line, err := safetext.Marshal(v)
	return writeLine(w, line, err)
}

func writeLine(w io.Writer, text []byte, err error) error {
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}

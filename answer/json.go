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
	if err != nil {
		return err
	}
	_, err = w.Write(append(doc, '\n'))
	return err
}

// JSONLine writes a value as one line of JSON in printable ASCII.
func JSONLine(w io.Writer, v any) error {
	line, err := safetext.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

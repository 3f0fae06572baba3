package secretstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// errAnswer is the error of an answer of success that is none. Nothing of it is
// repeated: it may hold keys.
var errAnswer = errors.New("expected an answer of a KV version 2 engine, found something else, not shown")

// conflictText is the engine's message that a check-and-set did not match.
const conflictText = "check-and-set parameter did not match"

// said are the texts of an answer that is no success, nil if it has none.
func (a answer) said() []string {
	var body struct {
		Errors []string `json:"errors"`
	}
	if json.Unmarshal(a.document, &body) != nil {
		return nil
	}
	return body.Errors
}

// absent reports whether the engine knows no such path. The sign of that is an empty list. A
// mount that it does not know has a text in it, and a 404 of something else on the way has no
// list.
func (a answer) absent() bool {
	said := a.said()
	return a.status == http.StatusNotFound && said != nil && len(said) == 0
}

func (a answer) conflict() bool {
	for _, text := range a.said() {
		if a.status == http.StatusBadRequest && strings.Contains(text, conflictText) {
			return true
		}
	}
	return false
}

// refusal is the answer as an error, with the texts that may be shown.
func (a answer) refusal() error {
	if a.status/100 == 2 {
		return errAnswer
	}
	refused := &RefusedError{Status: a.status}
	for _, text := range a.said() {
		if line, ok := harmlessText(text, a.token); ok && len(refused.Errors) < maxTexts {
			refused.Errors = append(refused.Errors, line)
		}
	}
	return refused
}

// versionDocument is the engine's document on a version.
type versionDocument struct {
	Version  int64   `json:"version"` // absent in the metadata of a path
	Created  string  `json:"created_time"`
	Deletion *string `json:"deletion_time"`
	Gone     *bool   `json:"destroyed"`
}

// metadata checks that all is there. A time of deletion that is to come deletes
// nothing yet.
func (d versionDocument) metadata() (Metadata, error) {
	_, err := time.Parse(time.RFC3339Nano, d.Created)
	if err != nil || d.Version < 1 || d.Deletion == nil || d.Gone == nil {
		return Metadata{}, errAnswer
	}
	m := Metadata{Version: d.Version, Created: d.Created, Deleted: *d.Gone}
	if *d.Deletion != "" {
		at, err := time.Parse(time.RFC3339Nano, *d.Deletion)
		if err != nil {
			return Metadata{}, errAnswer
		}
		m.Deleted = m.Deleted || !at.After(time.Now())
	}
	return m, nil
}

// currentVersion reads the metadata of a path.
func currentVersion(document []byte) (Metadata, error) {
	var body struct {
		Data struct {
			Current  *int64                     `json:"current_version"`
			Versions map[string]versionDocument `json:"versions"`
		} `json:"data"`
	}
	if err := json.Unmarshal(document, &body); err != nil || body.Data.Current == nil {
		return Metadata{}, errAnswer
	}
	current := *body.Data.Current
	if current == 0 {
		return Metadata{}, ErrAbsent // a path with settings, and no version yet
	}
	version, there := body.Data.Versions[strconv.FormatInt(current, 10)]
	if !there {
		return Metadata{}, errAnswer
	}
	version.Version = current
	return version.metadata()
}

// readVersion reads a version with its record. A record that is no document of
// SPEC 1 is returned as an empty one: another party wrote it, and its content
// does not matter.
func readVersion(document []byte) (seal.Object, Metadata, error) {
	var body struct {
		Data struct {
			Record   json.RawMessage `json:"data"`
			Metadata versionDocument `json:"metadata"`
		} `json:"data"`
	}
	if err := json.Unmarshal(document, &body); err != nil || body.Data.Record == nil {
		return nil, Metadata{}, errAnswer
	}
	m, err := body.Data.Metadata.metadata()
	if err != nil || m.Deleted {
		return nil, Metadata{}, errAnswer
	}
	o, err := seal.Parse(body.Data.Record)
	if err != nil {
		o = seal.Object{}
	}
	return o, m, nil
}

// goneVersion reads the rest of a version that was deleted or destroyed.
func goneVersion(document []byte) (Metadata, error) {
	var body struct {
		Data struct {
			Metadata versionDocument `json:"metadata"`
		} `json:"data"`
	}
	if err := json.Unmarshal(document, &body); err != nil {
		return Metadata{}, errAnswer
	}
	m, err := body.Data.Metadata.metadata()
	m.Deleted = true
	return m, err
}

// writtenVersion reads the answer to a write that was to make a version.
func writtenVersion(document []byte, version int64) (Metadata, error) {
	var body struct {
		Data versionDocument `json:"data"`
	}
	if err := json.Unmarshal(document, &body); err != nil {
		return Metadata{}, errAnswer
	}
	m, err := body.Data.metadata()
	if err == nil && m.Version != version {
		return Metadata{}, fmt.Errorf("expected the version %d to be written, found %d", version, m.Version)
	}
	return m, err
}

// Limits on repeating the text of others.
const (
	maxTexts = 8   // of an answer
	maxText  = 300 // bytes
	maxWord  = 48  // bytes; a key in base64 has no blanks
	maxRun   = 8   // bytes that a text may have in common with the token
)

// hiddenText replaces a text that is not repeated.
const hiddenText = "what was said of it is not shown"

// Error returns the status and the engine's messages.
func (e *RefusedError) Error() string {
	text := fmt.Sprintf("the store answers with status %d", e.Status)
	if len(e.Errors) > 0 {
		text += ": " + strings.Join(e.Errors, "; ")
	}
	return text
}

// harmlessText reports whether a text of another party may be shown, and returns it
// in one line. The answering server knows the token and may know keys, and could send
// them back for the log: a text that has a part of the token, the mark of a PEM
// block or a long word is not shown at all.
func harmlessText(text, token string) (string, bool) {
	if len(text) > 2*maxText {
		return "", false
	}
	words := strings.Fields(text)
	line := strings.Join(words, " ")
	if line == "" || len(line) > maxText || strings.ContainsFunc(line,
		func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsPrint(r) }) {
		return "", false
	}
	for _, word := range words {
		if len(word) > maxWord {
			return "", false
		}
	}
	packed := strings.ToLower(strings.Join(words, ""))
	if strings.Contains(packed, "-begin") || sharesToken(packed, strings.ToLower(token)) {
		return "", false
	}
	return line, true
}

// sharesToken reports whether a text contains a part of the token that reveals much of it, or the
// whole of a short one.
func sharesToken(text, token string) bool {
	n := min(maxRun, len(token))
	for i := 0; n > 0 && i+n <= len(token); i++ {
		if strings.Contains(text, token[i:i+n]) {
			return true
		}
	}
	return false
}

// connectionError is the error of a connection. It wraps the error of the context if that
// has ended, and no other: that the request took too long is no end of the
// caller's context.
func connectionError(ctx context.Context, what string, err error, token string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
	text, ok := harmlessText(err.Error(), token)
	if !ok {
		text = hiddenText
	}
	return fmt.Errorf("%s: %s", what, text)
}

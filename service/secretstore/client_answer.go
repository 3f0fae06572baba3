package secretstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// errAnswer is the error of an answer of success that is none. Nothing of it is
// repeated: it may hold keys.
var errAnswer = errors.New("expected an answer of a KV version 2 engine, found something else, not shown")

// conflictText is how the engine says that a check-and-set did not match.
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

// absent reports whether the engine knows no such path. It says so by an empty
// list. A mount that it does not know has a text in it, and a 404 of something
// else on the way has no list.
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
		if line, ok := harmless(text, a.token); ok && len(refused.Errors) < maxTexts {
			refused.Errors = append(refused.Errors, line)
		}
	}
	return refused
}

// versionDocument is what the engine says of a version.
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

// Package premis writes the content of a ledger as PREMIS 3.0, the vocabulary of preservation
// archives: objects with their digests, an event for each run and each failure, and the
// programs and people that took part.
//
// An object that did not change and was read has no event of its own: the events of
// the runs cover it. Others keep millions of events that say nothing.
package premis

import (
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/form"
)

// The namespaces of the elements of PREMIS 3 and of the attribute "xsi:type".
const (
	Namespace     = "http://www.loc.gov/premis/v3"
	TypeNamespace = "http://www.w3.org/2001/XMLSchema-instance"
)

// The types of identifiers.
const (
	idArchive = "svc-verify archive"
	idPath    = "path in the archive"
	idRun     = "svc-verify run"
	idChange  = "svc-verify change"
	idAgent   = "svc-verify agent"
)

// Object is a file of the archive, as a run commits to it.
type Object struct {
	run.Object
	SHA512 []byte // nil if it is not known
	Kind   object.Kind
}

// formats name the kinds of objects.
var formats = map[object.Kind]string{
	object.Bundle: "svc-verify proof bundle", object.Case: "svc-verify case", object.Logs: "audit logs",
}

// Agent is a program or a person that took part in an event.
type Agent struct {
	Name   string
	Person bool
}

func (a Agent) kind() string {
	if a.Person {
		return "person"
	}
	return "software"
}

func (a Agent) role() string {
	if a.Person {
		return "authorizer"
	}
	return "executing program"
}

func (a Agent) id() string { return a.kind() + ": " + a.Name }

// Event is an event of the archive, or of one object in it.
type Event struct {
	ID      string // of a run: its digest; of anything else, unique
	Type    string // such as "fixity check"
	At      int64  // milliseconds since 1970
	Detail  string
	Outcome string
	Note    string // "" if there is none
	Agent   Agent
	Path    string // of the object; "" for the archive
}

// Writer writes a document: the objects, then the events. It must come from
// [NewWriter].
type Writer struct {
	x       *xml.Encoder
	root    xml.StartElement
	archive string
	agents  map[Agent]bool
	events  bool
}

// NewWriter begins a document about the archive of an id.
func NewWriter(w io.Writer, archive string) (*Writer, error) {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return nil, err
	}
	p := &Writer{x: xml.NewEncoder(w), archive: archive, agents: map[Agent]bool{}, root: xml.StartElement{
		Name: xml.Name{Local: "premis"}, Attr: []xml.Attr{
			{Name: xml.Name{Local: "xmlns"}, Value: Namespace},
			{Name: xml.Name{Local: "xmlns:xsi"}, Value: TypeNamespace},
			{Name: xml.Name{Local: "version"}, Value: "3.0"},
		}}}
	p.x.Indent("", "  ")
	if err := p.x.EncodeToken(p.root); err != nil {
		return nil, err
	}
	return p, p.x.Encode(archiveElement{Type: "representation", IDType: idArchive, ID: archive})
}

// Object writes a file of the archive. All objects come before the first event.
func (p *Writer) Object(o Object) error {
	if p.events {
		return errors.New("an object after an event")
	}
	c := characteristics{Size: o.Size, Format: formats[o.Kind]}
	if c.Format == "" {
		c.Format = "unknown"
	}
	c.Fixity = append(c.Fixity, fixity{"SHA-256", hex.EncodeToString(o.SHA256[:])})
	if o.SHA512 != nil {
		c.Fixity = append(c.Fixity, fixity{"SHA-512", hex.EncodeToString(o.SHA512)})
	}
	path := object.PathText(o.Path)
	return p.x.Encode(fileElement{Type: "file", IDType: idPath, ID: path, Properties: propertiesOf(&o.Object),
		Characteristics: c, Name: path, Relationship: "structural", Subtype: "is included in", OtherType: idArchive,
		Other: p.archive})
}

// propertiesOf returns the verdict and the times of an object, as far as it has some.
func propertiesOf(o *run.Object) (all []property) {
	for _, p := range []property{{"verdict", string(o.Verdict)}, {"read at", form.MomentText(o.Read)},
		{"verified at", form.MomentText(o.Verified)}, {"wrong", o.Wrong}} {
		if p.Value != "" {
			all = append(all, p)
		}
	}
	return all
}

// Event writes an event.
func (p *Writer) Event(e Event) error {
	p.events, p.agents[e.Agent] = true, true
	v := eventElement{IDType: idRun, ID: e.ID, Type: e.Type, At: form.FormatMillis(e.At), Detail: e.Detail,
		Outcome: e.Outcome, Note: e.Note, AgentType: idAgent, Agent: e.Agent.id(), Role: e.Agent.role(),
		ObjectType: idArchive, Object: p.archive}
	if e.Path != "" {
		v.IDType, v.ObjectType, v.Object = idChange, idPath, object.PathText(e.Path)
	}
	return p.x.Encode(v)
}

// Close writes the agents, and ends the document.
func (p *Writer) Close() error {
	agents := slices.SortedFunc(maps.Keys(p.agents), func(a, b Agent) int { return strings.Compare(a.id(), b.id()) })
	for _, a := range agents {
		if err := p.x.Encode(agentElement{IDType: idAgent, ID: a.id(), Name: a.Name, Type: a.kind()}); err != nil {
			return err
		}
	}
	if err := p.x.EncodeToken(p.root.End()); err != nil {
		return err
	}
	return p.x.Close()
}

// The elements, with their members in the order of the schema.

type archiveElement struct {
	XMLName xml.Name `xml:"object"`
	Type    string   `xml:"xsi:type,attr"`
	IDType  string   `xml:"objectIdentifier>objectIdentifierType"`
	ID      string   `xml:"objectIdentifier>objectIdentifierValue"`
}

type fileElement struct {
	XMLName         xml.Name        `xml:"object"`
	Type            string          `xml:"xsi:type,attr"`
	IDType          string          `xml:"objectIdentifier>objectIdentifierType"`
	ID              string          `xml:"objectIdentifier>objectIdentifierValue"`
	Properties      []property      `xml:"significantProperties"`
	Characteristics characteristics `xml:"objectCharacteristics"`
	Name            string          `xml:"originalName"`
	Relationship    string          `xml:"relationship>relationshipType"`
	Subtype         string          `xml:"relationship>relationshipSubType"`
	OtherType       string          `xml:"relationship>relatedObjectIdentifier>relatedObjectIdentifierType"`
	Other           string          `xml:"relationship>relatedObjectIdentifier>relatedObjectIdentifierValue"`
}

type property struct {
	Name  string `xml:"significantPropertiesType"`
	Value string `xml:"significantPropertiesValue"`
}

type characteristics struct {
	Fixity []fixity `xml:"fixity"`
	Size   int64    `xml:"size"`
	Format string   `xml:"format>formatDesignation>formatName"`
}

type fixity struct {
	Algorithm string `xml:"messageDigestAlgorithm"`
	Digest    string `xml:"messageDigest"`
}

type eventElement struct {
	XMLName    xml.Name `xml:"event"`
	IDType     string   `xml:"eventIdentifier>eventIdentifierType"`
	ID         string   `xml:"eventIdentifier>eventIdentifierValue"`
	Type       string   `xml:"eventType"`
	At         string   `xml:"eventDateTime"`
	Detail     string   `xml:"eventDetailInformation>eventDetail"`
	Outcome    string   `xml:"eventOutcomeInformation>eventOutcome"`
	Note       string   `xml:"eventOutcomeInformation>eventOutcomeDetail>eventOutcomeDetailNote,omitempty"`
	AgentType  string   `xml:"linkingAgentIdentifier>linkingAgentIdentifierType"`
	Agent      string   `xml:"linkingAgentIdentifier>linkingAgentIdentifierValue"`
	Role       string   `xml:"linkingAgentIdentifier>linkingAgentRole"`
	ObjectType string   `xml:"linkingObjectIdentifier>linkingObjectIdentifierType"`
	Object     string   `xml:"linkingObjectIdentifier>linkingObjectIdentifierValue"`
}

type agentElement struct {
	XMLName xml.Name `xml:"agent"`
	IDType  string   `xml:"agentIdentifier>agentIdentifierType"`
	ID      string   `xml:"agentIdentifier>agentIdentifierValue"`
	Name    string   `xml:"agentName"`
	Type    string   `xml:"agentType"`
}

// Package premis writes the content of a ledger as PREMIS 3.0, the vocabulary of preservation
// archives: objects with their digests, an event for each run and each failure, and the
// programs and people that took part.
//
// An object that did not change and was read has no event of its own: the events of
// the runs cover it. Others keep millions of events that say nothing.
package premis

import (
	"cmp"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive/ledger"
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

// agent is a program or a person that took part in an event.
type agent struct{ kind, role, name string }

func programAgent(name string) agent { return agent{"software", "executing program", name} }

func (a agent) id() string { return a.kind + ": " + a.name }

// writer writes a document: the objects, then the events, and then their agents.
type writer struct {
	xml     *xml.Encoder
	archive string
	agents  map[agent]bool
}

// Write writes a document about the archive of an id: its objects, and then the events of its runs.
func Write(out io.Writer, id string, objects iter.Seq2[Object, error], runs iter.Seq2[ledger.Run, error],
	changesOf func(number int64) Changes) error {
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	p := &writer{xml.NewEncoder(out), id, map[agent]bool{}}
	p.xml.Indent("", "  ")
	root := xml.StartElement{Name: xml.Name{Local: "premis"}, Attr: []xml.Attr{
		{Name: xml.Name{Local: "xmlns"}, Value: Namespace},
		{Name: xml.Name{Local: "xmlns:xsi"}, Value: TypeNamespace},
		{Name: xml.Name{Local: "version"}, Value: "3.0"},
	}}
	err := errors.Join(p.xml.EncodeToken(root),
		p.xml.Encode(archiveElement{Type: "representation", IDType: idArchive, ID: id}))
	if err != nil {
		return err
	}
	for o, err := range objects {
		if err == nil {
			err = p.addObject(&o)
		}
		if err != nil {
			return err
		}
	}
	if err := p.addEvents(runs, changesOf); err != nil {
		return err
	}
	byID := func(a, b agent) int { return strings.Compare(a.id(), b.id()) }
	for _, a := range slices.SortedFunc(maps.Keys(p.agents), byID) {
		if err := p.xml.Encode(agentElement{IDType: idAgent, ID: a.id(), Name: a.name, Type: a.kind}); err != nil {
			return err
		}
	}
	return errors.Join(p.xml.EncodeToken(root.End()), p.xml.Close())
}

// addObject writes a file of the archive.
func (p *writer) addObject(o *Object) error {
	c := characteristics{Size: o.Size, Format: cmp.Or(formats[o.Kind], "unknown")}
	c.Fixity = append(c.Fixity, fixity{"SHA-256", hex.EncodeToString(o.SHA256[:])})
	if o.SHA512 != nil {
		c.Fixity = append(c.Fixity, fixity{"SHA-512", hex.EncodeToString(o.SHA512)})
	}
	path := object.PathText(o.Path)
	return p.xml.Encode(fileElement{Type: "file", IDType: idPath, ID: path, Properties: propertiesOf(&o.Object),
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

// addEvent writes an event by an agent.
func (p *writer) addEvent(e eventElement, by agent) error {
	p.agents[by] = true
	e.AgentType, e.Agent, e.Role = idAgent, by.id(), by.role
	return p.xml.Encode(e)
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
	Note       *note    `xml:"eventOutcomeInformation>eventOutcomeDetail"`
	AgentType  string   `xml:"linkingAgentIdentifier>linkingAgentIdentifierType"`
	Agent      string   `xml:"linkingAgentIdentifier>linkingAgentIdentifierValue"`
	Role       string   `xml:"linkingAgentIdentifier>linkingAgentRole"`
	ObjectType string   `xml:"linkingObjectIdentifier>linkingObjectIdentifierType"`
	Object     string   `xml:"linkingObjectIdentifier>linkingObjectIdentifierValue"`
}

// note is the detail of an outcome. The schema has no empty one.
type note struct {
	Text string `xml:"eventOutcomeDetailNote"`
}

// noteOf returns the note with a text, nil without one.
func noteOf(text string) *note {
	if text == "" {
		return nil
	}
	return &note{text}
}

type agentElement struct {
	XMLName xml.Name `xml:"agent"`
	IDType  string   `xml:"agentIdentifier>agentIdentifierType"`
	ID      string   `xml:"agentIdentifier>agentIdentifierValue"`
	Name    string   `xml:"agentName"`
	Type    string   `xml:"agentType"`
}

package premis

import "encoding/xml"

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
	Characteristics characteristics `xml:"objectCharacteristics"`
	Name            string          `xml:"originalName"`
	Relationship    string          `xml:"relationship>relationshipType"`
	Subtype         string          `xml:"relationship>relationshipSubType"`
	OtherType       string          `xml:"relationship>relatedObjectIdentifier>relatedObjectIdentifierType"`
	Other           string          `xml:"relationship>relatedObjectIdentifier>relatedObjectIdentifierValue"`
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

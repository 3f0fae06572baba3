package unwrap

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// formsOf are the forms of the members (SPEC 1.5). InfluxDB writes an i behind an integer. The data is an object.
var formsOf = map[string]func() *regexp.Regexp{
	"hash": digestForm, "previous_hash": digestForm, "skip_hash": digestForm,
	"salt":        safetext.Pattern(`^[A-Za-z0-9_-]{22}$`),
	"signature":   safetext.Pattern(`^[A-Za-z0-9_-]{86}$`),
	"sequence":    safetext.Pattern(`^[1-9][0-9]{0,15}i?$`),
	"protocol":    safetext.Pattern(`^` + regexp.QuoteMeta(event.Protocol) + `$`),
	"occurred_at": safetext.Pattern(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}Z$`),
	"log_id":      safetext.Pattern(`^(?:node|tenant)/`),
	"tenant_id":   identifierForm, "transaction_id": identifierForm, "key_id": identifierForm, "type": identifierForm,
	"data": nil,
}

var (
	digestForm     = safetext.Pattern(`^[0-9a-f]{64}$`)
	identifierForm = safetext.Pattern(`^[A-Za-z0-9._:@/-]{1,128}$`)
)

// isNumber reports whether a text is an integer as JSON writes it.
func isNumber(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}

// membersByName are the names of the members in small letters, without underscores.
var membersByName = func() map[string]string {
	all := map[string]string{}
	for name := range formsOf {
		all[strings.ReplaceAll(name, "_", "")] = name
	}
	return all
}()

// name is where the name of a member is in a text.
type name struct {
	span
	member string // the name in an event
	inData string // the name of a member of the data
	closes bool   // an element of markup ends with it
}

// nextName returns the next name in a text. It is empty, at the end of the text, if there is none.
func nextName(text []byte, from int) name {
	for i := from; i < len(text); i++ {
		if !isOfWord(text[i]) {
			continue
		}
		n := name{span: span{i, i}}
		for n.to < len(text) && isOfWord(text[n.to]) {
			n.to++
		}
		i = n.to
		n.from = n.to - len(bytes.TrimLeft(text[n.from:n.to], "-"))
		if n.findMember(text) {
			n.closes = bytes.HasSuffix(text[:n.from], []byte("</"))
			return n
		}
	}
	return name{span: span{len(text), len(text)}}
}

// findMember finds the member of a name. The name of the body, or of the data, can be its beginning.
func (n *name) findMember(text []byte) bool {
	const longest = 64
	word := string(bytes.TrimRight(text[n.from:n.to], "-"))
	if n.to = n.from + len(word); len(word) > longest {
		return false
	}
	if i := strings.LastIndex(word, "body_"); i >= 0 {
		word = word[i+len("body_"):]
	}
	small := strings.ReplaceAll(strings.ToLower(word), "_", "")
	n.member = membersByName[strings.TrimPrefix(small, "body")]
	if inData, ok := strings.CutPrefix(word, "data_"); ok {
		n.member, n.inData = "data", inData
	} else if n.member == "data" {
		if m := inObject().FindSubmatch(text[n.to:min(len(text), n.to+longest)]); m != nil {
			n.inData, n.to = string(m[1]), n.to+len(m[0])
		}
	}
	return n.member != ""
}

// inObject finds the name of a member behind the name of its object.
var inObject = safetext.Pattern(`^[./]([A-Za-z][A-Za-z0-9_.]*)`)

// inDataLabel begins the labels of members of the data.
const inDataLabel = "data."

// label returns the name of the member, behind the name of the data if it is there.
func (n *name) label() string {
	if n.inData != "" {
		return inDataLabel + n.inData
	}
	return n.member
}

func isOfWord(c byte) bool { return isBase64(c) && c != '/' && c != '+' }

func isOfIdentifier(c byte) bool { return isOfWord(c) || bytes.IndexByte([]byte(".:@/"), c) >= 0 }

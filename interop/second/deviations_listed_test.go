package second_test

import (
	_ "embed" // the list
	"strings"
)

// listed are deviations that replace a member or an extension.
//
//go:embed deviations.txt
var listed string

// effects are the checks of a listed deviation, and identifiers its extensions, by their words.
var (
	effects = map[string]string{"-": nothing, "form": form, "identified": identified, "constrained": constrained,
		"issued": issued}
	identifiers = map[string]string{"keyUsage": idKeyUsage, "extKeyUsage": idUsages, "basicConstraints": idConstraints,
		"subjectAltName": idNames}
)

func listedForms() (all []formDeviation) {
	for line := range strings.Lines(listed) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 5)
		if len(words) < 5 || words[0] == "#" {
			continue
		}
		octets := raw(strings.Trim(words[3], "-"))
		all = append(all, formDeviation{words[4], effects[words[1]], effects[words[2]],
			func(d *draft) { d.set(words[0], octets) }})
	}
	return all
}

// set replaces a member or an extension.
func (d *draft) set(name string, octets []byte) {
	members := map[string]*[]byte{"outer": &d.outer, "inner": &d.inner, "version": &d.version, "serial": &d.serial,
		"issuer": &d.issuer, "subject": &d.subject, "keyInfo": &d.keyInfo, "signature": &d.signature}
	switch name {
	case "algorithm":
		d.algorithm(octets)
	case "version-alone": // without extensions
		d.version, d.block = octets, []byte{}
	case "until": // the end of the validity
		d.validity = sequence(children(d.validity)[0], octets)
	case "further": // an extension behind the others
		d.block = der(0xa3, sequence(content(d.list()), octets))
	case "names": // the honest ones, and further ones
		d.at(idNames).value = sequence(der(0x82, []byte("payments.acme.example")),
			der(0x86, []byte("spiffe://acme.example/payments-api")), octets)
	default:
		if members[name] == nil {
			d.setExtension(name, octets)
			return
		}
		*members[name] = octets
	}
}

func (d *draft) setExtension(name string, octets []byte) {
	kind, id, _ := strings.Cut(name, "-")
	if id == "" {
		kind, id = "", name
	}
	if known, ok := identifiers[id]; ok {
		id = known
	}
	switch kind {
	case "no":
		d.drop(id)
	case "critical":
		*d.at(id) = extension{raw(id), raw(critical), octets}
	default:
		d.at(id).value = octets
	}
}

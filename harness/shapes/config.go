package shapes

import (
	"fmt"
	"strings"
)

// configShapes are the event in files of settings and in markup.
func configShapes() []Shape {
	const (
		yaml  = "YAML 1.2.2: Flow scalar styles, block scalar styles, https://yaml.org/spec/1.2.2/"
		toml  = "TOML 1.0.0: String, https://toml.io/en/v1.0.0#string"
		ini   = "Python: configparser, https://docs.python.org/3/library/configparser.html"
		xml   = "W3C: Extensible Markup Language 1.0, https://www.w3.org/TR/xml/"
		plist = "Apple: Property List Programming Guide, " +
			"https://developer.apple.com/library/archive/documentation/Cocoa/Conceptual/PropertyLists/"
		java = "Java: Properties.store, " +
			"https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/Properties.html"
		hcl    = "Terraform: Strings and templates, https://developer.hashicorp.com/terraform/language/expressions/strings"
		dotenv = "Docker Compose: Environment variables, " +
			"https://docs.docker.com/compose/how-tos/environment-variables/variable-interpolation/"
		asIs = "the file as it is"
	)
	xmlPage := func(write func(record) string) func(Log) Files {
		return page{"audit.xml", `<?xml version="1.0" encoding="UTF-8"?>` + "\n<audit>\n", "", "</audit>\n"}.of(write)
	}
	return []Shape{
		{
			Name: "yaml/single-quoted", Document: yaml, Export: asIs, Keeps: Octets,
			Write: lined("audit.yaml", func(r record) string { return "- id: " + r.id() + "\n  body: " + quoteSQL(r.line) }),
		},
		{
			Name: "yaml/double-quoted", Document: yaml, Export: asIs, Keeps: Octets,
			Write: lined("audit.yaml", func(r record) string {
				return "- id: " + r.id() + "\n  body: " + compact.quote(r.line)
			}),
		},
		{
			Name: "yaml/literal", Document: yaml, Export: asIs, Keeps: Octets,
			Write: lined("audit.yaml", func(r record) string { return "- id: " + r.id() + "\n  body: |\n    " + r.line }),
		},
		{
			Name: "yaml/pyyaml", Export: "yaml.dump(…, allow_unicode=True, width=float('inf'))", Keeps: Octets,
			Document: "PyYAML: Documentation, https://pyyaml.org/wiki/PyYAMLDocumentation",
			Write:    lined("audit.yaml", func(r record) string { return "- body: " + pyYAML(r.line, 8) + "\n  id: " + r.id() }),
		},
		{
			Name: "yaml/flow", Document: yaml, Export: asIs, Keeps: Octets,
			Write: lined("audit.yaml", func(r record) string { return "- {id: " + r.id() + ", event: " + r.line + "}" }),
		},
		{
			Name: "toml/basic", Document: toml, Export: asIs, Keeps: Octets,
			Write: lined("audit.toml", func(r record) string {
				return "[[audit]]\nid = " + r.id() + "\nbody = " + compact.quote(r.line) + "\n"
			}),
		},
		{
			Name: "toml/literal", Document: toml, Export: asIs, Keeps: Octets,
			Write: lined("audit.toml", func(r record) string {
				return "[[audit]]\nid = " + r.id() + "\nbody = '''\n" + r.line + "'''\n"
			}),
		},
		{
			Name: "ini/value", Document: ini, Export: asIs, Keeps: Octets,
			Write: page{name: "audit.ini", head: "[audit]\n"}.of(func(r record) string {
				return "line" + r.id() + " = " + r.line + "\n"
			}),
		},
		{
			Name: "ini/interpolated", Document: ini, Export: asIs, Keeps: Octets,
			Write: page{name: "audit.cfg", head: "[audit]\n"}.of(func(r record) string {
				return "line" + r.id() + " = " + strings.ReplaceAll(r.line, "%", "%%") + "\n"
			}),
		},
		{
			Name: "xml/element", Document: xml, Export: asIs, Keeps: Octets,
			Write: xmlPage(func(r record) string { return `  <event id="` + r.id() + `">` + xmlText(r.line) + "</event>\n" }),
		},
		{
			Name: "xml/attribute", Document: xml, Export: asIs, Keeps: Octets,
			Write: xmlPage(func(r record) string {
				return `  <event id="` + r.id() + `" body="` + xmlAttribute(r.line) + "\"/>\n"
			}),
		},
		{
			Name: "xml/cdata", Document: xml, Export: asIs, Keeps: Octets,
			Write: xmlPage(func(r record) string {
				return `  <event id="` + r.id() + `"><![CDATA[` + cdata(r.line) + "]]></event>\n"
			}),
		},
		{
			Name: "xml/numeric", Document: xml, Export: asIs, Keeps: Octets,
			Write: xmlPage(func(r record) string { return `  <event id="` + r.id() + `">` + numericXML(r.line) + "</event>\n" }),
		},
		{
			Name: "apple/plist", Document: plist, Export: "plutil -convert json", Keeps: Octets,
			Write: page{
				"audit.plist", `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
					`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n" +
					"<plist version=\"1.0\">\n<array>\n", "", "</array>\n</plist>\n",
			}.of(func(r record) string { return "\t<string>" + xmlText(r.line) + "</string>\n" }),
		},
		{
			Name: "java/properties", Document: java, Export: asIs, Keeps: Octets,
			Write: page{name: "audit.properties", head: "#audit\n#Mon Mar 02 09:00:00 UTC 2026\n"}.of(func(r record) string {
				return "line." + r.id() + "=" + javaProperty(r.line) + "\n"
			}),
		},
		{
			Name: "terraform/hcl", Document: hcl, Export: "terraform output -json", Keeps: Octets,
			Write: page{"audit.tf", "locals {\n  audit = [\n", "", "  ]\n}\n"}.of(func(r record) string {
				text := strings.NewReplacer("${", "$${", "%{", "%%{").Replace(r.line)
				return "    " + compact.quote(text) + ",\n"
			}),
		},
		{
			Name: "terraform/heredoc", Document: hcl, Export: "terraform output -json", Keeps: Octets,
			Write: page{"audit.tf", "locals {\n  audit = <<-EOT\n", "", "  EOT\n}\n"}.of(func(r record) string {
				return "    " + strings.NewReplacer("${", "$${", "%{", "%%{").Replace(r.line) + "\n"
			}),
		},
		{
			Name: "docker/env-file", Document: dotenv, Export: asIs, Keeps: Octets,
			Write: lined("audit.env", func(r record) string { return "LINE_" + r.id() + "=" + r.line }),
		},
		{
			Name: "docker-compose/dotenv", Document: dotenv, Export: asIs, Keeps: Octets,
			Write: lined(".env", func(r record) string {
				return "LINE_" + r.id() + "='" + strings.ReplaceAll(r.line, "'", `\'`) + "'"
			}),
		},
	}
}

// numericXML writes what is not ASCII as numbers, as serialisers for ASCII do.
func numericXML(text string) string {
	var out strings.Builder
	for _, r := range xmlAttribute(text) {
		if r > 0x7e {
			fmt.Fprintf(&out, "&#x%X;", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// javaProperty escapes a value as Properties.store does.
func javaProperty(text string) string {
	text = strings.NewReplacer(`\`, `\\`, ":", `\:`, "=", `\=`, "#", `\#`, "!", `\!`, "\n", `\n`, "\t", `\t`).Replace(text)
	return javaASCII(text, "%04X")
}

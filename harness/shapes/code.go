package shapes

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// codeShapes are the event as a literal of a language: in sources, tests, and in
// what programs print of their values.
func codeShapes() []Shape {
	const asIs = "the file as it is"
	line := func(name, document, file string, write func(string) string) Shape {
		return Shape{
			Name: name, Document: document, Export: asIs, Keeps: Octets,
			Write: lined(file, func(r record) string { return write(r.line) }),
		}
	}
	return []Shape{
		line("c/string", "C: String literals, https://en.cppreference.com/w/c/language/string_literal", "audit.c",
			func(s string) string { return `const char *line = "` + cString(s) + `";` }),
		line("c/octal", "C: Escape sequences, https://en.cppreference.com/w/c/language/escape", "audit.c",
			func(s string) string { return `const char *line = "` + octal(cString(s)) + `";` }),
		line("java/string", "Java: String literals, "+
			"https://docs.oracle.com/javase/specs/jls/se21/html/jls-3.html", "Audit.java",
			func(s string) string { return `String line = "` + javaASCII(cString(s), "%04x") + `";` }),
		line("javascript/single-quoted", "ECMAScript: String literals, "+
			"https://tc39.es/ecma262/#sec-literals-string-literals", "audit.js",
			func(s string) string {
				return "const line = '" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "';"
			}),
		line("javascript/template", "ECMAScript: Template literals, "+
			"https://tc39.es/ecma262/#sec-template-literals", "audit.js",
			func(s string) string {
				return "const line = `" + strings.NewReplacer(`\`, `\\`, "`", "\\`", "${", `\${`).Replace(s) + "`;"
			}),
		line("javascript/object", "ECMAScript: JSON superset, https://tc39.es/proposal-json-superset/", "audit.js",
			func(s string) string { return "const event = " + s + ";" }),
		line("node/inspect", "Node.js: util.inspect, https://nodejs.org/api/util.html#utilinspectobject-options", "audit.txt",
			func(s string) string { return "[ { body: " + inspected(s) + " } ]" }),
		line("python/repr", "Python: repr, https://docs.python.org/3/library/functions.html#repr", "audit.py",
			func(s string) string { return "line = " + pythonRepr(s) }),
		line("python/bytes", "Python: Bytes literals, https://docs.python.org/3/reference/lexical_analysis.html", "audit.py",
			func(s string) string {
				return "line = b'" + hexed(strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s)) + "'"
			}),
		line("python/json-dumps", "Python: json, https://docs.python.org/3/library/json.html", "audit.json",
			func(s string) string { return `{"id": 1, "line": ` + python.quote(s) + `}` }),
		{
			Name: "python/json-dumps-object", Document: "Python: json, https://docs.python.org/3/library/json.html",
			Export: asIs, Keeps: Values, Loses: "Spaces and escapes are Python's.",
			Write: lined("audit.json", func(r record) string { return python.respell(r.line) }),
		},
		{
			Name: "python/json-dumps-indent", Document: "Python: json, https://docs.python.org/3/library/json.html",
			Export: asIs, Keeps: Values, Loses: "Spaces and escapes are Python's.",
			Write: lined("audit.json", func(r record) string {
				return spelling{ascii: true, colon: ": ", comma: ", ", indent: "    "}.respell(r.line)
			}),
		},
		line("go/quote", "Go: strconv.Quote, https://pkg.go.dev/strconv#Quote", "audit.go",
			func(s string) string { return "line := " + strconv.Quote(s) }),
		line("go/raw", "Go: String literals, https://go.dev/ref/spec#String_literals", "audit.go",
			func(s string) string { return fmt.Sprintf("line := %#q", s) }),
		line("go/bytes", "Go: fmt, https://pkg.go.dev/fmt", "audit.txt",
			func(s string) string { return "body=" + hexText(s) }),
		line("rust/debug", "Rust: str::escape_debug, "+
			"https://doc.rust-lang.org/std/primitive.str.html#method.escape_debug", "audit.txt",
			func(s string) string { return "body: " + rustDebug(s) }),
		line("php/json-encode", "PHP: json_encode, https://www.php.net/manual/en/function.json-encode.php", "audit.json",
			func(s string) string {
				return `{"line":` + spelling{ascii: true, slash: true, colon: ":", comma: ","}.quote(s) + `}`
			}),
		line("php/var-export", "PHP: var_export, https://www.php.net/manual/en/function.var-export.php", "audit.php",
			func(s string) string {
				return "array (\n  'body' => '" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "',\n)"
			}),
		line("php/serialize", "PHP: serialize, https://www.php.net/manual/en/function.serialize.php", "audit.txt",
			func(s string) string { return fmt.Sprintf(`a:1:{s:4:"body";s:%d:"%s";}`, len(s), s) }),
		line("perl/dumper", "Perl: Data::Dumper, https://perldoc.perl.org/Data::Dumper", "audit.txt",
			func(s string) string {
				return "$VAR1 = '" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "';"
			}),
		line("perl/dumper-useqq", "Perl: Data::Dumper, https://perldoc.perl.org/Data::Dumper", "audit.txt",
			func(s string) string {
				return `$VAR1 = "` + octal(strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "@", `\@`).Replace(s)) + `";`
			}),
		line("ruby/inspect", "Ruby: String#inspect, https://docs.ruby-lang.org/en/master/String.html", "audit.txt",
			func(s string) string {
				s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "#{", `\#{`, "#$", `\#$`, "#@", `\#@`).Replace(s)
				return `{"body"=>"` + strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`).Replace(s) + `"}`
			}),
		line("powershell/single-quoted", "PowerShell: about_Quoting_Rules, "+
			"https://learn.microsoft.com/en-us/powershell/module/microsoft.powershell.core/about/about_quoting_rules",
			"audit.ps1",
			func(s string) string { return "$line = " + quoteSQL(s) }),
	}
}

// javaASCII writes what is not ASCII as \u with the digits of a format.
func javaASCII(text, digits string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < 0x20 || unit > 0x7e {
			fmt.Fprintf(&out, `\u`+digits, unit)
		} else {
			out.WriteByte(byte(unit))
		}
	}
	return out.String()
}

// pythonRepr is what Python shows of a string.
func pythonRepr(text string) string {
	quote := "'"
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = `"`
	}
	var out strings.Builder
	for _, r := range strings.NewReplacer(`\`, `\\`, quote, `\`+quote).Replace(text) {
		switch {
		case strconv.IsPrint(r):
			out.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&out, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\U%08x`, r)
		}
	}
	return quote + out.String() + quote
}

// rustDebug is what Rust shows of a string.
func rustDebug(text string) string {
	var out strings.Builder
	for _, r := range cString(text) {
		if strconv.IsPrint(r) {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, `\u{%x}`, r)
		}
	}
	return `"` + out.String() + `"`
}

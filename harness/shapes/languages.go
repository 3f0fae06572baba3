package shapes

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

const languagePython3 = "Python documentation, https://docs.python.org/3/library/"

const languageExport = "print the text itself"

func pythonShapes() []Shape {
	return []Shape{
		languageForm("python/repr-bytes", languagePython3+"stdtypes.html#bytes-objects", Octets, "", pythonBytes),
		languageForm("python/ascii", languagePython3+"functions.html#ascii", Octets, "",
			pythonASCII),
		languageForm("python/json.dumps", languagePython3+"json.html", Values, "", python.respell),
		languageForm("python/json.dumps-indent", languagePython3+"json.html", Values, "", pythonIndented.respell),
		languageForm("python/json.dumps-string", languagePython3+"json.html", Octets, "", python.quote),
		languageForm("python/dict", languagePython3+"stdtypes.html#dict", Values,
			"The spelling of JSON: quotes, True and False.",
			pythonDict),
		languageForm("python/pprint-tuple", languagePython3+"pprint.html", Octets, "", func(line string) string {
			return "(1, " +
				pythonRepr(line) + ", None)"
		}),
		languageForm("go/%q", "Go, package fmt, https://pkg.go.dev/fmt", Octets, "", strconv.Quote),
		languageForm("go/%+q", "Go, package fmt, https://pkg.go.dev/fmt", Octets, "", strconv.QuoteToASCII),
		languageForm("go/%x", "Go, package fmt, https://pkg.go.dev/fmt", Octets, "", hexText),
		languageForm("go/%v-bytes", "Go, package fmt, https://pkg.go.dev/fmt", Octets, "",
			func(line string) string { return numbers(line, " ") }),
		languageForm("php/var_export", "PHP manual, var_export, https://www.php.net/manual/en/function.var-export.php",
			Octets,
			"", func(line string) string {
				return "array (\n  'line' => '" + slashes(line, `'\`) + "',\n)"
			}),
		languageForm("php/json_encode", "PHP manual, json_encode, https://www.php.net/manual/en/function.json-encode.php",
			Values,
			"", func(line string) string {
				return spelling{ascii: true, slash: true, colon: ":", comma: ","}.respell(line)
			}),
		languageForm("php/print_r", "PHP manual, print_r, https://www.php.net/manual/en/function.print-r.php", Octets, "",
			func(line string) string {
				return "Array\n(\n    [line] => " + line + "\n)\n"
			}),
	}
}

func rustShapes() []Shape {
	return []Shape{
		languageForm("java/gson", "Gson user guide, https://github.com/google/gson/blob/main/UserGuide.md", Values, "",
			gson.respell),
		languageForm("dotnet/system.text.json",
			".NET, System.Text.Json, https:"+
				"//learn.microsoft.com/dotnet/standard/serialization/system-text-json/character-encoding", Values, "",
			dotnet.respell),
		languageForm("perl/data-dumper", "Perl, Data::Dumper, https://perldoc.perl.org/Data::Dumper", Octets, "",
			func(line string) string {
				return "$VAR1 = {\n          'line' => '" + slashes(line, `'\`) + "'\n        };"
			}),
		languageForm("erlang/io_lib", "Erlang, io_lib, https://www.erlang.org/doc/apps/stdlib/io_lib.html", Octets, "",
			func(line string) string {
				return `=INFO REPORT==== 2-Mar-2026::09:00:01 ===` + "\n    line: <<\"" + cString(line) + `"/utf8>>`
			}),
	}
}

func languageForm(name, document string, keeps Keeps, loses string, write func(line string) string) Shape {
	return Shape{Name: name, Document: document, Export: languageExport, Keeps: keeps, Loses: loses,
		Write: lined("out.txt",
			func(r record) string { return write(r.line) })}
}

// slashes puts a backslash before some characters.
func slashes(text, characters string) string {
	var out strings.Builder
	for _, r := range text {
		if strings.ContainsRune(characters, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// pythonASCII is ascii of a str: its repr, with escapes for all that is not ASCII.
func pythonASCII(text string) string {
	var out strings.Builder
	for _, r := range pythonRepr(text) {
		switch {
		case r <= '~':
			out.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&out, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\U%08x`, r)
		}
	}
	return out.String()
}

// pythonBytes is repr of bytes.
func pythonBytes(text string) string {
	return "b'" + octets(strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text),
		func(b byte) string { return fmt.Sprintf(`\x%02x`, b) }) + "'"
}

// pythonDict is repr of what json.loads makes of a line.
func pythonDict(line string) string {
	return pythonValue([]byte(line))
}

func pythonValue(text json.RawMessage) string {
	var parts []string
	switch text[0] {
	case '{':
		for _, m := range members(text) {
			parts = append(parts, pythonRepr(m.name)+": "+pythonValue(m.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		var items []json.RawMessage
		must(0, json.Unmarshal(text, &items))
		for _, item := range items {
			parts = append(parts, pythonValue(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case '"':
		var decoded string
		must(0, json.Unmarshal(text, &decoded))
		return pythonRepr(decoded)
	case 't':
		return "True"
	case 'f':
		return "False"
	}
	return string(text)
}

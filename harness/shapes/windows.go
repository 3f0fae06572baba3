package shapes

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

const windowsPowershell = "PowerShell documentation, https://learn.microsoft.com/powershell/module/"

const windowsExport = "[IO.File]::Copy, or Copy-Item"

func powershellShapes() []Shape {
	return []Shape{
		{Name: "powershell/out-file", Document: windowsPowershell + "microsoft.powershell.utility/out-file",
			Export: windowsExport,
			Keeps:  Octets,
			Write: encoded("journal.txt", plain(""),
				func(content []byte) []byte { return []byte(utf16Little(crlf(string(content)))) })},
		{Name: "powershell/out-file-big-endian", Document: windowsPowershell + "microsoft.powershell.utility/out-file",
			Export: windowsExport, Keeps: Octets,
			Write: encoded("journal.txt", plain(""), func(content []byte) []byte {
				out := []byte(utf16Little(crlf(string(content))))
				for i := 0; i < len(out); i += 2 {
					out[i], out[i+1] = out[i+1], out[i]
				}
				return out
			})},
		{Name: "powershell/select-string", Document: windowsPowershell + "microsoft.powershell.utility/select-string",
			Export: windowsExport, Keeps: Octets,
			Write: encoded("hits.txt", lined("", func(r record) string { return "journal.ndjson:" + r.id() + ":" + r.line }),
				func(content []byte) []byte { return []byte(crlf(string(content))) })},
		{Name: "powershell/convertto-json", Document: windowsPowershell + "microsoft.powershell.utility/convertto-json",
			Export: windowsExport, Keeps: Octets,
			Write: page{name: "lines.json", head: "[\r\n    ", between: ",\r\n    ",
				foot: "\r\n]\r\n"}.of(func(r record) string {
				return "{\r\n        \"value\":  " + powershell5(r.line) + ",\r\n        \"ReadCount\":  " + r.id() + "\r\n    }"
			})},
		{Name: "powershell/export-csv", Document: windowsPowershell + "microsoft.powershell.utility/export-csv",
			Export: windowsExport,
			Keeps:  Octets,
			Write: page{name: "lines.csv", head: "#TYPE Selected.System.String\r\n\"Time\",\"Line\"\r\n", between: "\r\n",
				foot: "\r\n"}.of(func(r record) string { return quoted(r.iso()) + "," + quoted(r.line) })},
		{Name: "powershell/clixml", Document: windowsPowershell + "microsoft.powershell.utility/export-clixml",
			Export: windowsExport,
			Keeps:  Octets,
			Write: encoded("lines.xml", page{head: "<Objs Version=\"1.1.0.1\" xmlns=\" " +
				"http://schemas.microsoft.com/powershell/2004/04\">\n", between: "\n", foot: "\n</Objs>"}.of(func(r record) string {
				return "  <S>" + clixml(xmlText(r.line)) + "</S>"
			}), func(content []byte) []byte { return []byte(utf16Little(crlf(string(content)))) })},
	}
}

func windowsShapes() []Shape {
	return []Shape{
		{Name: "windows/event-xml", Document: "Windows, event schema, " +
			"https://learn.microsoft.com/windows/win32/wes/eventschema-schema", Export: "wevtutil qe /f:xml", Keeps: Octets,
			Loses: "Event data is cut at 31,839 characters.",
			Write: page{name: "events.xml",
				head: "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\"?>\r\n<Events>",
				foot: "</Events>"}.of(windowsEvent)},
		{Name: "windows/wevtutil", Document: "Windows, wevtutil, " +
			"https://learn.microsoft.com/windows-server/administration/windows-commands/wevtutil", Export: "wevtutil qe /f:xml",
			Keeps: Octets, Loses: "Event data is cut at 31,839 characters.",
			Write: encoded("events.xml", page{between: "\r\n", foot: "\r\n"}.of(windowsEvent),
				func(content []byte) []byte { return content })},
		{Name: "windows/event-csv", Document: "Windows, Event Viewer, save as CSV, " +
			"https://learn.microsoft.com/windows/win32/wes/", Export: "wevtutil qe /f:xml", Keeps: Octets,
			Write: page{name: "events.csv", head: "Level,Date and Time,Source,Event ID,Task Category\r\n", between: "\r\n",
				foot: "\r\n"}.of(func(r record) string {
				return "Information," + r.stamp() + ",edge,1,None," + quoted(r.line)
			})},
		{Name: "windows/findstr", Document: "Windows, findstr, " +
			"https://learn.microsoft.com/windows-server/administration/windows-commands/findstr", Export: "copy", Keeps: Octets,
			Write: page{name: "hits.txt", between: "\r\n", foot: "\r\n"}.of(func(r record) string {
				return r.id() + ":" +
					r.line
			})},
	}
}

// powershell5 is a string of ConvertTo-Json in Windows PowerShell.
func powershell5(text string) string { return spelling{also: "<>&'", lines: true}.quote(text) }

// clixml writes characters that XML cannot have as _xHHHH_.
func clixml(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r < 0x20 || r == 0x85 || r == 0x2028 || r == 0x2029 || r > 0xffff {
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, "_x%04X_", unit)
			}
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

func windowsEvent(r record) string {
	return "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider " +
		"Name='edge'/><EventID Qualifiers='0'>1</EventID><TimeCreated SystemTime='" + r.nano() +
		"'/><EventRecordID>" + r.id() + "</EventRecordID></System><EventData><Data>" + xmlText(r.line) +
		"</Data></EventData></Event>"
}

package confined

import (
	"io"
	"runtime/debug"
	"slices"
	"sync"
)

// decoder decodes one format.
type decoder struct {
	format  string
	library string // the path of its module
	once    bool   // its child serves one file only
	decode  func(*io.SectionReader, *output) error
}

// decoders are all formats. A decoder that is called once has a library that was translated from
// C: the effects of a file on its memory must not reach the next file.
var decoders = []decoder{
	{"7z", "github.com/bodgit/sevenzip", false, decodeSevenZip},
	{"rar", "github.com/nwaples/rardecode/v2", false, decodeRar},
	{"avro", "github.com/linkedin/goavro/v2", false, decodeAvro},
	{"sqlite", "modernc.org/sqlite", true, decodeSQLite},
}

// placeOf returns the place of a format in decoders, -1 if there is none.
func placeOf(format string) int {
	return slices.IndexFunc(decoders, func(d decoder) bool { return d.format == format })
}

// modules are the versions of the modules in the program.
var modules = sync.OnceValue(func() map[string]string {
	versions := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			versions[m.Path] = m.Version
		}
	}
	return versions
})

// Library names the library that decodes a format, with its version.
func Library(format string) string {
	i := placeOf(format)
	if i < 0 {
		return ""
	}
	name := decoders[i].library
	if version := modules()[name]; version != "" {
		return name + " " + version
	}
	return name
}

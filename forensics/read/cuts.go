package read

import "slices"

// Handling says whether a plan cuts files of a format.
type Handling struct {
	Format Format
	Cut    bool
	Why    string // a sentence part
}

// Why files of several formats go whole.
const (
	whyPacked   = "it is decompressed or decoded from its beginning"
	whyArchive  = "its members have names and sizes of their own"
	whyTable    = "its beginning or end says what the rows are"
	whyBinary   = "its records have no line ends"
	whyParts    = "a line can be in several records"
	whyDocument = "it is one document"
)

// otherHandlings are those of formats that no store has, in the order of the tables of the
// package.
var otherHandlings = []Handling{
	{Gzip, false, whyPacked},
	{Zstd, false, whyPacked},
	{Bzip2, false, whyPacked},
	{XZ, false, whyPacked},
	{Zlib, false, whyPacked},
	{LZ4, false, whyPacked},
	{Snappy, false, whyPacked},
	{Tar, false, whyArchive},
	{Zip, false, whyArchive},
	{SevenZip, false, whyArchive},
	{Rar, false, whyArchive},
	{UTF16, false, whyPacked},
	{ZstdFrames, false, whyPacked},
	{HTTPRequests, false, "the head of a request names the batch of its content"},
	{OTLPProto, false, whyBinary},
	{OTLPFrames, false, whyBinary},
	{CRI, false, whyParts},
	{JournalExport, false, "a record is several lines"},
	{RuntimeLines, false, whyParts},
	{JSONSeq, false, whyParts},
	{JSONEvents, false, whyParts},
	{DockerLocal, false, whyParts},
	{SQLite, false, whyTable},
	{Avro, false, whyTable},
	{CSV, false, "the first line names the columns, and a field can have several lines"},
	{Bodies, true, "a body on each line, as the caller says"},
	{General, true, "a JSON object on each line; text is not cut, because it can go on over several lines"},
}

// Handlings returns the formats, with what a plan does with their files.
func Handlings() []Handling { return slices.Clone(handlings) }

var handlings = withStores(otherHandlings)

func withStores(all []Handling) []Handling {
	all = slices.Clone(all)
	for _, f := range builtin.All {
		h := Handling{f.Name, f.line("plan") != nil, f.Said("plan")}
		if !h.Cut {
			h.Why = whyDocument
		}
		if f.isLines() {
			h.Why = whyParts
		}
		all = append(all, h)
	}
	return all
}

// Cut reports whether files of the format are cut between lines that are alone
// ([Lines]), and why. A format that is unknown is not.
func (f Format) Cut() (why string, cut bool) {
	for _, h := range handlings {
		if h.Format == f {
			return h.Why, h.Cut
		}
	}
	return "nothing is known of it", false
}

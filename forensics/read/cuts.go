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

// handlings are those of all formats, in the order of the tables of the package.
var handlings = []Handling{
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
	{Journal, true, "an event on each line"},
	{BundleFile, false, whyDocument},
	{EnvelopeFile, false, whyDocument},
	{OTLPJSON, true, "a request on each line"},
	{Kafka, true, "a message on each line"},
	{KafkaRaw, true, "a payload on each line"},
	{Loki, true, "an entry on each line"},
	{LokiAPI, false, whyDocument},
	{Elastic, true, "a document on each line; not behind an action of a bulk request"},
	{ElasticHits, false, whyDocument},
	{ClickHouse, true, "a row on each line"},
	{ClickHouseJSON, false, whyDocument},
	{SplunkHEC, true, "an event on each line"},
	{SplunkExport, true, "a row on each line"},
	{Docker, false, whyParts},
	{Runtime, false, whyParts},
	{Systemd, false, whyParts},
	{Bodies, true, "a body on each line, as the caller says"},
	{General, true, "a JSON object on each line; text is not cut, because it can go on over several lines"},
}

// Handlings returns the formats, with what a plan does with their files.
func Handlings() []Handling { return slices.Clone(handlings) }

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

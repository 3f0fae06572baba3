package read

// Format is a format of stored evidence. The zero value is none.
type Format string

// The formats of whole streams.
const (
	Gzip         Format = "gzip"
	Zstd         Format = "zstd"
	Bzip2        Format = "bzip2"
	XZ           Format = "xz"
	Zlib         Format = "zlib"
	Deflate      Format = "deflate"
	LZ4          Format = "lz4"
	Snappy       Format = "snappy"
	Tar          Format = "tar"
	Zip          Format = "zip"
	SevenZip     Format = "7z"
	Rar          Format = "rar"
	UTF16        Format = "utf-16"
	UTF32        Format = "utf-32"
	ZstdFrames   Format = "zstd-frames"
	OTLPFrames   Format = "otlp-proto-frames"
	OTLPProto    Format = "otlp-proto"
	HTTPRequests Format = "http-requests"
	Bodies       Format = "bodies"  // each line is a body; only at the caller's demand
	General      Format = "general" // events within whatever surrounds them
	CSV          Format = "csv"
	SQLite       Format = "sqlite"
	Avro         Format = "avro"
	textual      Format = "text"

	CRI           Format = "cri"
	JournalExport Format = "systemd-export"
	RuntimeLines  Format = "container-runtime-lines"
	DockerLocal   Format = "docker-local"
)

// The formats of JSON values, which are recognised value by value.
const (
	Journal        Format = "journal"
	BundleFile     Format = "bundle"
	EnvelopeFile   Format = "envelope"
	OTLPJSON       Format = "otlp-json"
	Kafka          Format = "kafka"
	KafkaRaw       Format = "kafka-raw"
	Loki           Format = "loki"
	LokiAPI        Format = "loki-api"
	Elastic        Format = "elastic"
	ElasticHits    Format = "elastic-hits"
	ClickHouse     Format = "clickhouse"
	ClickHouseJSON Format = "clickhouse-json"
	SplunkHEC      Format = "splunk-hec"
	SplunkExport   Format = "splunk-export"
	Docker         Format = "docker"
	Runtime        Format = "container-runtime"
	Systemd        Format = "systemd-json"
)

// Formats returns the formats that a caller can force, in the order of the tables
// above.
func Formats() []Format {
	return []Format{
		Journal, Bodies, BundleFile, EnvelopeFile, OTLPJSON, OTLPProto, OTLPFrames, ZstdFrames, HTTPRequests,
		Kafka, KafkaRaw, Loki, LokiAPI, Elastic, ElasticHits, ClickHouse, ClickHouseJSON, SplunkHEC, SplunkExport,
		CRI, Docker, DockerLocal, Runtime, RuntimeLines, JournalExport, Systemd,
	}
}

// wrapsOnly reports whether the format only wraps other streams.
func (f Format) wrapsOnly() bool {
	s := signOf(f)
	return s != nil && s.holds != ofRecords
}

// Packs reports whether a stream of the format is compressed, or an archive.
func (f Format) Packs() bool { return f.wrapsOnly() && f != UTF16 && f != UTF32 && f != HTTPRequests }

// innerFormat returns the format that a forced format means for the streams in a stream.
func (f Format) innerFormat() Format {
	if f == ZstdFrames || f == HTTPRequests {
		return ""
	}
	return f
}

// IsCut reports whether files of the format are cut between lines that are alone ([Lines]).
func (f Format) IsCut() bool {
	store := BuiltinStores().All.Named(f)
	return f == Bodies || f == General || store != nil && store.addLine("plan") != nil
}

// isTaken reports whether a format of this package has a name.
func isTaken(f Format) bool {
	return BuiltinStores().All.Named(f) != nil || signOf(f) != nil || f == Bodies || f == General || f == textual
}

package read

// Format is a format of stored evidence. The zero value is none.
type Format string

// The formats of whole streams.
const (
	Gzip         Format = "gzip"
	Zstd         Format = "zstd"
	Tar          Format = "tar"
	UTF16        Format = "utf-16"
	ZstdFrames   Format = "zstd-frames"
	OTLPFrames   Format = "otlp-proto-frames"
	OTLPProto    Format = "otlp-proto"
	HTTPRequests Format = "http-requests"
	Bodies       Format = "bodies" // each line is a body; only if the caller says so
	textual      Format = "text"
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
)

// Formats returns the formats that a caller can force, in the order of the tables
// above.
func Formats() []Format {
	return []Format{
		Journal, Bodies, BundleFile, EnvelopeFile, OTLPJSON, OTLPProto, OTLPFrames, ZstdFrames, HTTPRequests,
		Kafka, KafkaRaw, Loki, LokiAPI, Elastic, ElasticHits, ClickHouse, ClickHouseJSON, SplunkHEC, SplunkExport,
	}
}

// wraps reports whether the format only wraps other streams.
func (f Format) wraps() bool {
	switch f {
	case Gzip, Zstd, Tar, UTF16, ZstdFrames, HTTPRequests:
		return true
	}
	return false
}

// within is what a forced format is for the streams in a stream.
func (f Format) within() Format {
	if f == ZstdFrames || f == HTTPRequests {
		return ""
	}
	return f
}

// inValue reports whether the format is one of JSON values.
func (f Format) inValue() bool {
	return f.reader() != nil
}

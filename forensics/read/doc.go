// Package read finds log records in the dumps of stores.
//
// Each record comes with its place and the exact bytes of its body. Spans that
// could not be read are reported as well, with their place and the reason. One bad
// file, line or message never stops the rest.
//
// The package does not judge whether a body is a genuine event; its caller does.
// Here it is the body of a log record, whatever it contains.
//
// # Formats
//
// A stream is recognised by its content, never by its name. The first group wraps
// other streams, to any depth:
//
//	gzip               1f 8b 08; several members make one stream, with a note
//	zstd               28 b5 2f fd; several frames make one stream
//	tar                a header with the right checksum
//	utf-16             a byte order mark
//	zstd-frames        a big-endian length of 4 octets and a zstd frame, repeated: what
//	                   the collector's file exporter writes as .zst, and zstd refuses
//	http-requests      POST / … HTTP/1.: requests as they were on the wire
//
// Then messages in protobuf:
//
//	otlp-proto         a LogsData or ExportLogsServiceRequest
//	otlp-proto-frames  such messages, each with a big-endian length before it
//
// Everything else is JSON values, one on each line, one after the other, over
// several lines, or in one array. Each is recognised by itself, by its members:
//
//	journal            body hash signature: an event (SPEC 4.2)
//	bundle             protocol manifest audit_path (SPEC 7)
//	envelope           statement key_id signature (SPEC 3.1)
//	otlp-json          resourceLogs
//	kafka              topic partition offset: kcat -J
//	kafka-raw          a string with JSON in it: values of the raw encoding
//	loki               labels line: logcli -o jsonl
//	loki-api           status data: query_range
//	elastic            _source, @timestamp, or an action of _bulk: dumps, bulk requests
//	elastic-hits       hits: _search
//	clickhouse         Body and other columns: FORMAT JSONEachRow
//	clickhouse-json    meta data: FORMAT JSON
//	splunk-hec         event and time, fields …: requests to the event collector
//	splunk-export      preview result: search/jobs/export
//
// The format bodies is used only if the caller asks for it: each line is a body,
// as the S3 exporter and logcli -o raw write them. Lines that are events are
// recognised without it.
//
// # Bodies, fidelity and batch ids
//
//	format             text body is      structure is       batch ids
//	journal            the line, exact   –                  none
//	otlp-*             exact             recanonicalised    record, resource, scope
//	http-requests      as its content    as its content     header, and as its content
//	kafka              as its payload    as its payload     header, and as its payload
//	kafka-raw          unquoted          –                  none
//	loki*              line, exact       text already       labels, as x_svc_edge_audit_batch
//	  with old JSON    unquoted          recanonicalised    its attributes
//	elastic*           exact             recanonicalised    attributes, also of resource, scope
//	clickhouse*        Body, exact       text already       LogAttributes, ResourceAttributes
//	splunk-hec         event, exact      recanonicalised    fields
//	splunk-export      _raw, exact       text already       fields, if they were asked for
//
// A structure is lossy if it contains values that an event cannot have: octets,
// fractions, null, or a name twice. Integers in another spelling are not lossy (see
// [Respell]). Texts and structures are lossy if octets may have been replaced: by
// U+FFFD, in structures and in the dumps of stores that do so, or in place of half a
// surrogate pair. Text that is not UTF-8 is kept octet for octet, with a note.
//
// Names of attributes are compared without regard to case and punctuation, because
// stores rename them. Ids can be a string, a list separated by ";" or ",", or an
// array. Each [Batch] says whose attribute it was.
//
// # Traps
//
//   - JSON readers differ on a member that occurs twice. The part that has it is
//     skipped as [Ambiguous]. In protobuf the last of several bodies counts, with
//     a note.
//   - Two values on one line are both read, with the note [ConcatenatedJSON]:
//     the collector would have lost the second one.
//   - kcat prints payloads as text, which damages binary ones. They are read if
//     they were dumped in base64.
//   - By default logcli omits the labels that all lines share, and with them the
//     batch id. Stores cut and drop long lines; a body that was cut is reported
//     as it is.
//   - An Elasticsearch that keeps no source rebuilds structures on demand. Text
//     is not changed.
//   - A ClickHouse time has no zone and is taken as UTC.
//   - HTTP downloads are often decompressed already although their name ends in
//     .gz. Names do not matter here.
//
// # Limits
//
// Memory does not grow with the file: only one line, message or value is in memory,
// at most [Limits.Unit] bytes. A single document, such as an answer of Loki or
// Elasticsearch, is one value. Time grows linearly with the size of the input. The
// output of decompression is bounded ([Limits]).
package read

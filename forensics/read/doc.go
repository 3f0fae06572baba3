// Package read reads what exporters and stores have left of the audit logs:
// everything goes in, and records come out, each with the exact bytes of its
// body and its place. What could not be read comes out too, with its place and
// the reason. One bad file, line or message never stops the rest.
//
// The package does not judge. Whether a body is a genuine event is for its
// caller to say; here it is the body of a log record, whatever is in it.
//
// # Formats
//
// A stream is recognised by its content and never by a name. First what wraps
// other streams, which may stand in one another:
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
// And bodies, which a caller has to ask for: each line is a body, such as the
// S3 exporter and logcli -o raw write them. Lines that are events need no asking.
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
// A structure is lossy if it has what an event cannot have: octets, fractions,
// null, a name twice. Numbers that are integers in another spelling are none of
// these (see [Respell]). A text, and a structure, is lossy where octets may have
// been replaced: with U+FFFD in structures and in the dumps of stores that do so,
// and for half a surrogate pair. Text that is not UTF-8 is kept octet for octet,
// with a note.
//
// Attributes are compared without regard to case and punctuation, since stores
// rename them. Ids may stand as a string, as a list with ";" or ",", or as an
// array. Whose attributes they were is part of each [Batch].
//
// # Traps
//
//   - Of a JSON value with a member twice, readers read different things. The
//     part that is concerned is skipped as [Ambiguous]. In protobuf the last
//     of several bodies counts, with a note.
//   - Two values on one line are both read, with the note [ConcatenatedJSON]:
//     the collector would have lost the second one.
//   - kcat prints payloads as text, so that binary ones are damaged. They are
//     read if they were dumped in base64.
//   - logcli leaves out labels that all lines share, and with them the batch id,
//     unless it is told otherwise. Stores cut and drop long lines; a body that
//     was cut is handed on as it is.
//   - An Elasticsearch that keeps no source rebuilds structures on demand; text
//     is as it was.
//   - A ClickHouse time has no zone and is taken as UTC.
//   - Unwrapped HTTP downloads are often decompressed already under a name that
//     ends in .gz. Names do not matter here.
//
// # Limits
//
// Memory does not grow with the file: what is held is one line, message or
// value, at most [Limits.Unit] bytes. A single document, such as an answer of
// Loki or Elasticsearch, is one value. Time grows with the size of the input
// only. What decompression may make of an input is bounded ([Limits]).
package read

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
//	gzip               1f 8b 08; several members make one stream
//	zstd               28 b5 2f fd; several frames make one stream
//	bzip2              BZh, a digit and the mark of a block; several streams make one
//	xz                 fd 37 7a 58 5a 00; several streams make one; LZMA2 without filters
//	zlib               78 and a second byte that fits it, and data that decodes
//	deflate            no text, and data that decodes to text; it has no mark
//	lz4                04 22 4d 18, or 02 21 4c 18 of the first format; several frames
//	                   make one stream
//	snappy             ff 06 00 00 sNaPpY: the framing format
//	tar                a header with the right checksum
//	zip                PK 03 04: read forward, and compared with the directory at the
//	                   end; stored, deflated, bzip2, xz and zstd; zip64; volumes joined
//	7z                 37 7a bc af 27 1c: copied, LZMA, LZMA2, deflate and bzip2. What
//	                   lists its members is at the end: nothing is read of one
//	                   that was cut, and of one within a stream up to Limits.Unit
//	utf-16, utf-32     a byte order mark
//	zstd-frames        a big-endian length of 4 bytes and a zstd frame, repeated: what
//	                   the collector's file exporter writes as .zst, and zstd refuses
//	http-requests      POST / … HTTP/1.: requests as they were on the wire
//
// Then messages in protobuf:
//
//	otlp-proto         a LogsData or ExportLogsServiceRequest
//	otlp-proto-frames  such messages, each with a big-endian length before it
//
// Then records of lines that container runtimes, shippers and systemd write:
//
//	cri                TIME stdout F TEXT: /var/log/pods
//	systemd-export     __CURSOR=…: journalctl -o export
//	container-runtime-lines
//	                   a prefix and a record of container-runtime, docker or systemd-json
//	docker-local       protobuf with its length before and behind it: the local driver
//
// Then tables. Each row becomes the text of a JSON object and is read as a value:
//
//	sqlite             an SQLite file: rows of ordinary tables, by the engine itself; no view
//	                   or trigger runs, and the pages of a damaged file are searched, too
//	avro               Obj 01: null, deflate, snappy, zstandard, bzip2, xz; behind damage it
//	                   continues at the next marker
//	csv                a line of two or more names, by "," ";" tab or "|", and records that
//	                   have as many fields; any
//	                   other record is read as text
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
//	docker             log stream time: the json-file driver
//	container-runtime  partial_message, or logtag: Docker's fluentd driver, Fluent Bit
//	systemd-json       MESSAGE and __CURSOR, …: journalctl -o json
//
// The format general is everything else, and each field that its reader does not understand:
// lines of text, values of no known format, bytes. Package unwrap finds the events in it, in
// any wrapping. The content between them is
//
//	wrapping           on the lines of events: nothing is reported of it
//	other records      text and values without pieces of an event: [finding.SourceNoRecord]
//	digits             text with bytes in digits that nothing decodes, in a stream with
//	                   events: [finding.SourceUnparseable]
//	damage             content with pieces of an event: [finding.SourceUnparseable]
//	too deep           an event behind more wrappings than are undone: [finding.NotRead]
//
// An event that is twice in one record, raw and parsed, is one copy: the one whose hash holds
// and that needed the fewest steps. Batch ids and times come from the objects around it, the
// row's columns, or its line ([Fields]).
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
//	splunk-export      _raw, exact       text already       fields, if requested
//	general            unquoted, if it      exact, if it is     any member, column or word
//	                   was escaped          canonical           of the line
//	tables             as of the JSON that a row becomes, with any column as an attribute
//	cri, docker-local  exact             –                  none
//	docker             exact             –                  attrs, and any member
//	container-runtime  exact             –                  any member
//	systemd-*          exact             –                  any field
//
// A structure is lossy if it contains values that an event cannot have: bytes,
// fractions, null, or a name twice. Integers in another spelling are not lossy (see
// [Respell]). Texts and structures are lossy if bytes may have been replaced: by
// U+FFFD, in structures and in the dumps of stores that do so, or in place of half a
// surrogate pair. Text that is not UTF-8 is kept byte for byte, with a note.
//
// Names of attributes are compared without regard to case and punctuation, because stores
// rename them. Ids can be a string, a list separated by ";" or ",", or an array. Each [Batch]
// names the owner of its attribute.
//
// # Lines in parts
//
// Runtimes and shippers cut lines into several records, Docker and the CRI after 16
// KiB, systemd after 48 KiB (LineMax=). The parts are joined before anything looks at
// the line, and the line is read like a body that came in one record:
//
//	cri                tag P; F ends the line
//	docker             no line feed at the end; the record with one ends the line
//	container-runtime  partial_id, partial_ordinal, partial_last; or partial_message
//	                   alone; or logtag and _p with the tags of the CRI
//	systemd-*          CONTAINER_PARTIAL_* of Docker, _LINE_BREAK=line-max of systemd
//
// Each output of each container has a line of its own. An event in a line has the place from
// its first to its last record, with records of other lines between, the batch ids of all, and
// the time of the first. A line that does not end is a partial tail if it can be an event. If
// a part is damaged or missing, nothing is taken out of the line, because it could be an event
// that no one wrote. Open lines need no more memory than [Limits.Unit], and at most 1024 are
// kept for one stream. Parts in two files are not joined: both ends are named.
//
// # Unread input
//
// A stream that no reader knows is searched for events that stand in it as they are. Its kind
// is then reported, with the command that makes it readable ([Skip.Help]): systemd journals in
// their binary form, databases, disk images, and encrypted files. If events were found in it,
// there can be others, which are compressed. A JSON value of no known format is named by its
// first members. Known content that is no evidence is passed: keys, files that shippers keep
// next to logs, and an image in PNG up to its end (SPEC 13.1).
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
//   - Docker writes U+FFFD where it cuts a character in two. A line with one is lossy.
//   - "journalctl -o json" writes null for a field of more than 4096 bytes, unless it
//     is run with --all. That is reported as a body that was cut.
//   - HTTP downloads are often decompressed already although their name ends in
//     .gz. Names do not matter here.
//   - Names in archives can be anything. Nothing is ever written under them. One that is
//     not a plain name is quoted in places; names that lead out of the archive are
//     noted.
//
// # Limits
//
// Independent lines, and records of CSV, are read by [Options.Workers] goroutines, with the
// same reports.
//
// Memory does not grow with the file: only one line, message or value is in memory, at most
// [Limits.Unit] bytes. A single document, such as an answer of Loki or Elasticsearch, is one
// value. Time grows linearly with the size of the input. The output of decompression is
// bounded ([Limits]), and so is the memory of decoders: 128 MiB for one of them, and for all,
// one after the other, 4 GiB and 4096 bytes for each byte of the file. Data that needs more is
// skipped. Of the members of zip 40 bytes each are in memory, of all that is counted
// [Limits.Members] at most.
//
// Files of SQLite, Avro, 7z and RAR are decoded by other makers' libraries, in a child that
// can do nothing else (package confined): from the file itself, or from a copy in memory if
// they are within another stream, up to [Limits.Unit]. The rows of tables count as
// decompressed.
package read

// Package receive is a sink of OTLP/HTTP for log records: whatever it
// acknowledges is in a case, and stays there.
//
// # What an answer means
//
//   - 200: every log record of the request is in the case, and was on the disk
//     before the answer left. If the process is killed at any moment, or the
//     machine loses its power, the case has it.
//   - 200 with partial_success: the case keeps all but rejected_log_records
//     records. Those are no events of an audit log and larger than what the case
//     keeps of such a thing (512 octets): it has their beginning. Records that
//     are no events and are kept whole are not rejected; a message names their
//     number. A client sends nothing of such a request again.
//   - 400, 404, 405, 411, 413, 415: nothing of the request is kept, and the same
//     request will never be: a client does not send it again.
//   - 429, 503, with Retry-After: nothing of the request is kept, and the same
//     request is welcome later.
//
// Requests are taken whole or not at all. An answer is in the form that the
// request had, protobuf or JSON, and a refusal holds a google.rpc.Status.
//
// # What is kept
//
// Each client has a source in the case, a capture of its requests in the order
// in which they were kept ([ingest.Capture]). Its name is "receive:", the name
// in the client's certificate, and when the first request came. The way to a
// record says which request it came in, and the case when that came and from
// which address. The events are read, scanned and stored as ingest does it. A
// batch that comes again is known by its content: only its places are added.
//
// # Who may write to the case
//
// The sink holds the case while requests come, and lets go of it after a short
// rest: then a walk can have it, and requests are answered with 503 until the
// walk is done. Commands that only read the case work all the time.
//
// # What it costs an attacker
//
// TLS 1.3 and a certificate for clients, by a given authority, come first. A
// request may be so large, compressed and not; all requests together may hold
// so much memory; connections are counted, slow ones closed, and those over which
// nothing has come make room for others. No outbound connection is opened, and no
// proxy and no environment variable is asked.
package receive

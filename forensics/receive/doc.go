// Package receive is an OTLP/HTTP sink that writes log records to a case.
//
// Every record that it acknowledges is in the case, and stays there.
//
// # What an answer means
//
//   - 200: every log record of the request is in the case, and was on disk before
//     the answer was sent. The case has it even if the process is killed or the
//     machine loses power at any moment.
//   - 200 with partial_success: the case keeps all records except for as many as
//     rejected_log_records states. These are not events of an audit log and are
//     larger than the 512 bytes that the case keeps of such records, so it has
//     only their beginning. Smaller records that are not events are kept whole and
//     not rejected; a message gives their number. A client does not send any part
//     of the request again.
//   - 400, 404, 405, 411, 413, 415: nothing of the request is kept, and the same
//     request will always be refused. A client does not send it again.
//   - 429, 503, with Retry-After: nothing of the request is kept. A client sends it
//     again later.
//
// Requests are accepted whole or not at all. The answer has the form of the
// request, protobuf or JSON, and a refusal contains a google.rpc.Status.
//
// # Kept evidence
//
// Each client has a source in the case: a capture of its requests in the order in
// which they were kept ([ingest.Capture]). Its name is "receive:", the name in the
// client's certificate, and the time of the first request. The place of a record
// names its request, and the case has the time and the address of each request.
// Events are read, scanned and stored as in an ingest. A batch that comes again is
// recognised by its content, and only its places are added.
//
// # Who may write to the case
//
// The sink locks the case while requests come, and releases it after a short pause.
// Then a walk can lock it, and requests are answered with 503 until the walk is
// done. Commands that only read the case always work.
//
// # Protection
//
// Clients need TLS 1.3 and a client certificate of a given authority. The size of a
// request is limited, compressed and decompressed, and so is the memory of all
// requests together. The number of connections is limited, slow ones are closed,
// and idle ones make room for new ones. The sink opens no connection and uses no
// proxy and no environment variable.
package receive

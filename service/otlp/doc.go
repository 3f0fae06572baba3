// Package otlp exports a node's journal to a collector, by OTLP over HTTP
// (SPEC 9).
//
// A batch is a run of the journal after the cursor. It is written down under its id before it
// is sent for the first time, and the same batch is sent, under the same id, until the
// collector has taken all of it. Then a signed cursor replaces it, in the same transaction. A
// process that is killed anywhere between sends the same batch again: nothing is lost, and the
// cursor is never ahead of the collector. A reader of the collector's files recognises
// duplicates by the id.
//
// The connection is TLS 1.3 with authorities of its own and a client
// certificate, which is read again for every request. There is no proxy and no
// redirect, and no part of an answer is believed that is not a valid
// ExportLogsServiceResponse.
//
// An exporter that fails tries again after its poll interval. The node works on meanwhile:
// only [Status] shows the failure.
package otlp

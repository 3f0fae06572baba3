// Package collector is a collector of OTLP logs over HTTP that writes files. It can be made to
// misbehave in every way in which real ones do. In demonstrations and tests it replaces a
// customer's collector.
//
// It speaks TLS 1.3 with clients that have certificates, and protobuf. Each
// request becomes one line of OTLP/JSON, as the file exporter of the
// OpenTelemetry Collector writes it, with the batch header as an attribute of
// every record. A line is on disk before its request is answered.
//
// The data model and both encodings are the OpenTelemetry Collector's own, from its package
// pdata.
package collector

// Package deployment runs a deployment of the service on one machine. It sets up a
// cloud with its protected signer, Mesh Nodes, and an OTLP collector, each a
// process of its own (service/docs/service.md).
//
// It plays the roles that no software has in the field: the authorities that
// issue TLS certificates, the operators who hand them out and write the
// configurations, and the customer who collects keys into a trust file.
package deployment

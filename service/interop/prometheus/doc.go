// Package prometheus holds the monitoring pack and a node's metrics against a
// real Prometheus: it scrapes a real node over TLS with a client certificate,
// loads the rules, and raises the alerts.
//
// It is a module of its own, as it needs programs that a machine with Go need
// not have.
package prometheus

// Package workload is a service that takes its certificate out of the secret
// store by the consumer rule (service/docs/secret-store.md), and can be told to
// misbehave. It is for demonstrations and tests: nothing of a node is in it but
// what any consumer may use.
package workload

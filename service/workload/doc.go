// Package workload is a service that reads its certificate from the secret store by the
// consumer rule (service/docs/secret-store.md). It can be made to misbehave. It is for
// demonstrations and tests, and uses nothing of a node but the package for consumers.
package workload

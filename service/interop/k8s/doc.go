// Package k8s checks the Helm chart of a node against Helm, against the API types of
// Kubernetes and against the node's own check of its configuration.
//
// It is a module of its own, so that the dependencies of Helm stay out of the
// verifier's.
package k8s

// Package kubernetes runs the manifests of scale/kubernetes.
//
// They are decoded, defaulted and validated by the code of the API server, and checked against
// the restricted profile of pod security. Then the Job controller of Kubernetes itself makes
// pods of them, before an API in memory; the test plays the kubelet: it mounts the volumes,
// runs the commands of the containers and reports how they ended. Some pods are lost, some
// cannot read the evidence.
package kubernetes

// Package topic names the topics of trust events.
package topic

import (
	"maps"
	"slices"
)

// The topics. A new one needs a row below, too.
const (
	CapabilityExpired      = "capability.expired"
	CapabilityObserved     = "capability.observed"
	CertificatePromoted    = "certificate.promoted"
	CertificateStaged      = "certificate.staged"
	IdentityRotated        = "identity.rotated"
	IssuancePaused         = "incident.issuance_paused"
	PolicyVersionAvailable = "policy.version.available"
	ServiceClaimed         = "service.claimed"
	TrustBundleUpdated     = "trust_bundle.updated"
)

// origin is the party that reports a topic.
type origin bool

const (
	node  origin = false
	cloud origin = true // as a notice, which nodes pass on
)

var origins = map[string]origin{
	CapabilityExpired: node, CapabilityObserved: node, CertificatePromoted: node, CertificateStaged: node,
	IdentityRotated: node,
	IssuancePaused:  cloud, PolicyVersionAvailable: cloud, ServiceClaimed: cloud, TrustBundleUpdated: cloud,
}

// All returns all topics in ascending order.
func All() []string { return slices.Sorted(maps.Keys(origins)) }

// Known reports whether a topic is one.
func Known(topic string) bool {
	_, known := origins[topic]
	return known
}

// FromCloud reports whether a topic is the cloud's to tell. The others are the
// nodes' own.
func FromCloud(topic string) bool { return origins[topic] == cloud }

// Package edge is a customer's client of a Mesh Node's local API
// (service/docs/service.md). It reads the health report, and the signed trust
// events.
//
// Every connection must satisfy two conditions: a certificate authority that the
// customer chose vouches for the node, and the customer has pinned the node's
// public key. Only TLS 1.3 is used, without proxies or redirects.
//
// A node that offers trust events answers with the key that it signs with, so the pins of the
// connection are the pins of the events too. A [Watch] shows an event only once its signature,
// tenant, node and place among its neighbours were found to be right, and moves its cursor
// only once the event was shown.
//
// Nothing here decides for anyone: a trust event is a notification (SPEC 10).
package edge

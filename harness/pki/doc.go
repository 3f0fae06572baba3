// Package pki makes the X.509 side of an issuance. It makes the request, the
// issuer, and the leaf of exactly the profile that SPEC 8.17 describes.
//
// The subject alternative names are written here and not by crypto/x509, since
// SPEC 7.3 wants the very bytes of the terms in the extension. Everything else of
// a certificate is a template of crypto/x509: a forger changes the template
// that [Leaf] returns, and lets [Issuer.Sign] sign it.
package pki

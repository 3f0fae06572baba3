package verify

import "github.com/svc-edge/svc-verify/bundle"

// statusBound is SPEC 8.19.
func statusBound(r *run, b *bundle.Bundle) {
	s, at := b.Status.Unverified(), b.Status.Pointer+"/statement"
	equal(r, LinkDiffers, at+"/manifest_sha256", b.Manifest.Digest, s.Manifest)
	equal(r, LinkDiffers, at+"/checkpoint_sha256", b.Checkpoint.Digest(), s.Checkpoint)
}

// revocationComplete is SPEC 8.20.
func revocationComplete(r *run, b *bundle.Bundle) {
	const at = "/status/statement"
	status := b.Status.Unverified()
	// 8.20.1
	together := func(present bool, part string) {
		r.expect(present == (status.Status == bundle.Revoked), LinkDiffers, at+"/status",
			statusFor(present, part), status.Status)
	}
	together(b.Revocation != nil, "receipt")
	together(len(r.revocations) > 0, "event")
	together(status.RevocationReceipt != nil, "digest in the status")
	if b.Revocation == nil {
		return
	}
	// 8.20.2
	digest := b.Revocation.Digest()
	if h := status.RevocationReceipt; h != nil {
		equal(r, LinkDiffers, at+"/revocation_receipt_sha256", digest, *h)
	}
	for _, e := range r.revocations {
		equal(r, LinkDiffers, e.Pointer+"/body/data/revocation_receipt_sha256",
			digest, e.Unverified().RevocationReceipt)
	}
	// 8.20.3
	receipt, place := b.Revocation.Unverified(), b.Revocation.Pointer+"/statement"
	equal(r, LinkDiffers, place+"/certificate_sha256", digestOf(b.Leaf.Raw), receipt.Certificate)
	equal(r, LinkDiffers, place+"/certificate_serial", serial(b), receipt.Serial)
}

// statusFor returns the status that goes with the presence or absence of a
// part of the revocation, with the reason.
func statusFor(present bool, part string) string {
	if present {
		return bundle.Revoked + ", since there is a revocation " + part
	}
	return bundle.Issued + ", since there is no revocation " + part
}

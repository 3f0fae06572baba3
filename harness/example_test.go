package harness_test

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// A forger with every key gives the certificate of a receipt another serial.
func Example() {
	scene, err := harness.Build("issued", 1, harness.Options{})
	if err != nil {
		panic(err)
	}
	forged, err := forge.Reseal(scene, "tx-2026-0001", func(bundle seal.Object) {
		seal.Member(seal.Member(bundle, "signer_receipt"), "statement")["certificate_serial"] = "2a"
	})
	if err != nil {
		panic(err)
	}
	manifest := seal.Member(forged, "manifest")
	fmt.Println(seal.Text(manifest, "signer_receipt_sha256") == seal.StatementDigest(seal.Member(forged,
		"signer_receipt")))
	fmt.Println(seal.Text(seal.Member(forged, "signer_receipt"), "key_id"))
	// Output:
	// true
	// signer-2026-1
}

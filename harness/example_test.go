package harness_test

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// A forger with every key gives the certificate of a receipt another serial.
func Example() {
	scene, err := harness.Build("issued", 1, harness.Options{})
	if err != nil {
		panic(err)
	}
	forged, err := forge.Reseal(scene, "tx-2026-0001", func(bundle wire.Object) {
		wire.Member(wire.Member(bundle, "signer_receipt"), "statement")["certificate_serial"] = "2a"
	})
	if err != nil {
		panic(err)
	}
	manifest := wire.Member(forged, "manifest")
	fmt.Println(wire.Text(manifest, "signer_receipt_sha256") == wire.StatementDigest(wire.Member(forged, "signer_receipt")))
	fmt.Println(wire.Text(wire.Member(forged, "signer_receipt"), "key_id"))
	// Output:
	// true
	// signer-2026-1
}

module github.com/svc-edge/svc-verify/interop/producers

go 1.26.0

require github.com/svc-edge/svc-verify v0.0.0

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/gowebpki/jcs v1.0.2 // indirect
	golang.org/x/crypto v0.58.0 // indirect
)

replace github.com/svc-edge/svc-verify => ../..

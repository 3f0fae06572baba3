module github.com/svc-edge/svc-verify/interop/shells

go 1.26.0

require github.com/svc-edge/svc-verify v0.0.0

replace github.com/svc-edge/svc-verify => ../..

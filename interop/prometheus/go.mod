module github.com/svc-edge/svc-verify/interop/prometheus

go 1.26.0

//go:build !race

package deploy_test

var buildFlags []string

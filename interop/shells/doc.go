// Package shells has real shells run the completion scripts of internal/cliapp, and
// groff read its manual pages.
//
// It is a module of its own, as it needs bash, zsh, fish and groff.
package shells

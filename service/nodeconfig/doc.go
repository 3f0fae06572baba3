// Package nodeconfig checks the configuration of a Mesh Node, config.json, while
// it reads it. service/docs/node-config.md lists every setting with its rule.
//
// The file is strict I-JSON (SPEC 1.1): one closed, flat object. No setting has
// a default value. Settings that belong together have a common prefix; those
// with a switch (otlp_audit_enabled, secret_store_enabled,
// dependency_discovery_enabled) stand there if and only if it is on.
//
// [Read] answers in two steps. Form comes first: the settings by themselves and among each
// other. Then it opens every file that a setting with good form names, and judges the opened
// file, not the one that the path leads to later. It collects all faults rather than stopping
// at the first.
//
// A private key, a token or the reload executable must be a regular file in its own right: a
// symbolic link, a pipe or a device is refused, and so is a secret that group or others have
// any permission for. Certificates may be symbolic links, as a container platform mounts them,
// but no one but their owner may write to them. No fault repeats the content of a secret file,
// the part before the @ or behind the ? of a URL, or a byte of a file that is not JSON.
package nodeconfig

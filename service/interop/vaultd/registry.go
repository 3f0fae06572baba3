package main

import (
	"maps"
	"slices"

	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/credential/approle"
	"github.com/hashicorp/vault/builtin/credential/cert"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
)

// builtin are the plugins that are part of the program.
var builtin = map[consts.PluginType]map[string]logical.Factory{
	consts.PluginTypeSecrets:    {"kv": kv.Factory},
	consts.PluginTypeCredential: {"approle": approle.Factory, "cert": cert.Factory},
}

// registry tells the server of them.
type registry struct{}

// Get returns the plugin of a name.
func (registry) Get(name string, kind consts.PluginType) (func() (any, error), bool) {
	factory, ok := builtin[kind][name]
	return func() (any, error) { return factory, nil }, ok
}

// Contains reports whether there is a plugin of a name.
func (registry) Contains(name string, kind consts.PluginType) bool {
	_, ok := builtin[kind][name]
	return ok
}

// Keys returns the names of all plugins of a kind.
func (registry) Keys(kind consts.PluginType) []string {
	return slices.Sorted(maps.Keys(builtin[kind]))
}

// IsBuiltinEntPlugin reports whether a plugin is of the Enterprise version.
func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

// DeprecationStatus says that no plugin is deprecated.
func (r registry) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, r.Contains(name, kind)
}

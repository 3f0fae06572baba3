# What the token of a node is bound to: the mount kv, the base path edge/payments.
path "kv/data/edge/payments/*" {
  capabilities = ["create", "update", "read"]
}

path "kv/metadata/edge/payments/*" {
  capabilities = ["read"]
}

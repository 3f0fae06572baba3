# What the token of a consumer is bound to: the mount kv, the base path
# edge/payments.
path "kv/data/edge/payments/pointer" {
  capabilities = ["read"]
}

path "kv/data/edge/payments/generations/*" {
  capabilities = ["read"]
}

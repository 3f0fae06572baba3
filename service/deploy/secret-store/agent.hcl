# A Vault Agent that keeps the file of a workload's certificate and key as the
# pointer says (service/docs/secret-store.md, Consumers).
vault {
  address = "https://store.acme.example:8200"
  ca_cert = "/etc/payments/store-ca.pem"
}

# An identity that consumer.hcl is bound to, and nothing else.
auto_auth {
  method "approle" {
    config = {
      role_id_file_path                   = "/etc/payments/role-id"
      secret_id_file_path                 = "/etc/payments/secret-id"
      remove_secret_id_file_after_reading = false
    }
  }
}

template_config {
  # Records of a KV engine have no lease: this is how soon a promotion is seen.
  # It must be well below secret_store_rollback_window_seconds.
  static_secret_render_interval = "10s"
}

template {
  source               = "/etc/payments/pair.ctmpl"
  destination          = "/run/payments/pair.pem"
  perms                = "0600"
  error_on_missing_key = true

  exec {
    command = ["/usr/sbin/nginx", "-s", "reload"]
    timeout = "30s"
  }
}

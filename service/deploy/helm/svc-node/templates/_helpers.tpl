{{/* The name of everything: that of the release. */}}
{{- define "svc-node.name" -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "svc-node.selector" -}}
app.kubernetes.io/name: svc-node
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "svc-node.labels" -}}
{{ include "svc-node.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* Stops unless a value is there: the arguments are its name and the value. */}}
{{- define "svc-node.required" -}}
{{- if empty (index . 1) -}}
{{- fail (printf "%s is required" (index . 0)) -}}
{{- end -}}
{{- end -}}

{{/* Stops if anything is set beside enabled while that is not true: whoever left
it behind might believe that the part works. */}}
{{- define "svc-node.noLeftovers" -}}
{{- $part := index . 0 -}}
{{- range $name, $value := omit (index . 1) "enabled" -}}
{{- if and (not (kindIs "invalid" $value)) (ne (toString $value) "") -}}
{{- fail (printf "%s.%s is set while %s.enabled is not true: leave it out" $part $name $part) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The parts that have a Secret, with the files that the node reads as they are
mounted, and those that are private and so copied. */}}
{{- define "svc-node.secrets" -}}
{{- $open := list "tls.crt" "ca.crt" -}}
{{- $private := list "tls.key" -}}
{{- $own := empty .Values.localApi.trustEventSubscriberSpiffePrefixes | ternary $private (list) -}}
{{- $parts := list (dict "name" "local-api" "secret" .Values.localApi.existingSecret "open" $open "private" $own) -}}
{{- $parts = append $parts (dict "name" "cloud" "secret" .Values.cloud.existingSecret "open" $open "private" $private) -}}
{{- if .Values.otlpAudit.enabled -}}
{{- $parts = append $parts (dict "name" "otlp-audit" "secret" .Values.otlpAudit.existingSecret "open" $open "private" $private) -}}
{{- end -}}
{{- with .Values.secretStore -}}
{{- if .enabled -}}
{{- $open := list "ca.crt" "bootstrap.crt" -}}
{{- $private := list "token" "bootstrap.key" -}}
{{- if .clientCertificate -}}
{{- $open = append $open "tls.crt" -}}
{{- $private = append $private "tls.key" -}}
{{- end -}}
{{- $parts = append $parts (dict "name" "secret-store" "secret" .existingSecret "open" $open "private" $private) -}}
{{- end -}}
{{- end -}}
{{- toJson (dict "parts" $parts) -}}
{{- end -}}

{{/* config.json, see service/docs/node-config.md. */}}
{{- define "svc-node.config" -}}
{{- $v := .Values -}}
{{- include "svc-node.required" (list "tenantId" $v.tenantId) -}}
{{- include "svc-node.required" (list "nodeId" $v.nodeId) -}}
{{- include "svc-node.required" (list "policyPublicKeys" $v.policyPublicKeys) -}}
{{- include "svc-node.required" (list "auditPublicKeys" $v.auditPublicKeys) -}}
{{- include "svc-node.required" (list "localApi.existingSecret" $v.localApi.existingSecret) -}}
{{- include "svc-node.required" (list "cloud.url" $v.cloud.url) -}}
{{- include "svc-node.required" (list "cloud.existingSecret" $v.cloud.existingSecret) -}}
{{- include "svc-node.required" (list "cloud.publicKeySha256" $v.cloud.publicKeySha256) -}}
{{- $state := "/var/lib/svc-node/state" -}}
{{- $c := dict
  "tenant_id" $v.tenantId
  "node_id" $v.nodeId
  "state_directory" $state
  "policy_public_keys" $v.policyPublicKeys
  "audit_public_keys" $v.auditPublicKeys
  "local_api_address" (printf "0.0.0.0:%d" (int $v.localApi.port))
  "local_api_certificate_file" "/etc/svc-node/local-api/tls.crt"
  "local_api_private_key_file" "/run/svc-node/local-api/tls.key"
  "local_api_client_ca_file" "/etc/svc-node/local-api/ca.crt"
  "cloud_url" $v.cloud.url
  "cloud_ca_file" "/etc/svc-node/cloud/ca.crt"
  "cloud_client_certificate_file" "/etc/svc-node/cloud/tls.crt"
  "cloud_client_private_key_file" "/run/svc-node/cloud/tls.key"
  "cloud_public_key_sha256" $v.cloud.publicKeySha256
  "cloud_request_timeout_seconds" (int $v.cloud.requestTimeoutSeconds)
  "cloud_poll_interval_seconds" (int $v.cloud.pollIntervalSeconds)
-}}
{{- with $v.localApi.trustEventSubscriberSpiffePrefixes -}}
{{- $_ := set $c "trust_event_subscriber_spiffe_prefixes" . -}}
{{- $_ := set $c "local_api_private_key_file" (printf "%s/%s" $state $v.localApi.signingKeyFile) -}}
{{- end -}}
{{- if $v.dependencyDiscovery.enabled -}}
{{- include "svc-node.required" (list "dependencyDiscovery.probes" $v.dependencyDiscovery.probes) -}}
{{- $_ := set $c "dependency_discovery_enabled" true -}}
{{- $_ := set $c "dependency_discovery_probes" $v.dependencyDiscovery.probes -}}
{{- $_ := set $c "dependency_discovery_interval_seconds" (int (default 60 $v.dependencyDiscovery.intervalSeconds)) -}}
{{- $_ := set $c "dependency_discovery_timeout_seconds" (int (default 5 $v.dependencyDiscovery.timeoutSeconds)) -}}
{{- else -}}
{{- include "svc-node.noLeftovers" (list "dependencyDiscovery" $v.dependencyDiscovery) -}}
{{- end -}}
{{- if $v.otlpAudit.enabled -}}
{{- include "svc-node.required" (list "otlpAudit.exporterId" $v.otlpAudit.exporterId) -}}
{{- include "svc-node.required" (list "otlpAudit.endpoint" $v.otlpAudit.endpoint) -}}
{{- include "svc-node.required" (list "otlpAudit.existingSecret" $v.otlpAudit.existingSecret) -}}
{{- $_ := set $c "otlp_audit_enabled" true -}}
{{- $_ := set $c "otlp_audit_exporter_id" $v.otlpAudit.exporterId -}}
{{- $_ := set $c "otlp_audit_endpoint" $v.otlpAudit.endpoint -}}
{{- $_ := set $c "otlp_audit_trust_bundle_file" "/etc/svc-node/otlp-audit/ca.crt" -}}
{{- $_ := set $c "otlp_audit_client_certificate_file" "/etc/svc-node/otlp-audit/tls.crt" -}}
{{- $_ := set $c "otlp_audit_client_private_key_file" "/run/svc-node/otlp-audit/tls.key" -}}
{{- $_ := set $c "otlp_audit_batch_size" (int (default 64 $v.otlpAudit.batchSize)) -}}
{{- $_ := set $c "otlp_audit_request_timeout_seconds" (int (default 15 $v.otlpAudit.requestTimeoutSeconds)) -}}
{{- $_ := set $c "otlp_audit_poll_interval_seconds" (int (default 5 $v.otlpAudit.pollIntervalSeconds)) -}}
{{- else -}}
{{- include "svc-node.noLeftovers" (list "otlpAudit" $v.otlpAudit) -}}
{{- end -}}
{{- if $v.secretStore.enabled -}}
{{- $c = merge $c (include "svc-node.storeConfig" $v.secretStore | fromJson) -}}
{{- else -}}
{{- include "svc-node.noLeftovers" (list "secretStore" $v.secretStore) -}}
{{- end -}}
{{- toPrettyJson $c -}}
{{- end -}}

{{/* The settings of the secret-store adapter. */}}
{{- define "svc-node.storeConfig" -}}
{{- $s := . -}}
{{- range list "adapterReference" "profileId" "address" "kvMount" "kvBasePath" "healthUrl" "existingSecret" -}}
{{- include "svc-node.required" (list (printf "secretStore.%s" .) (get $s .)) -}}
{{- end -}}
{{- $c := dict
  "secret_store_enabled" true
  "secret_store_adapter_reference" .adapterReference
  "secret_store_profile_id" .profileId
  "secret_store_address" .address
  "secret_store_token_file" "/run/svc-node/secret-store/token"
  "secret_store_ca_certificate_file" "/etc/svc-node/secret-store/ca.crt"
  "secret_store_kv_mount" .kvMount
  "secret_store_kv_base_path" .kvBasePath
  "secret_store_managed_directory" "/var/lib/svc-node/managed"
  "secret_store_bootstrap_certificate_file" "/etc/svc-node/secret-store/bootstrap.crt"
  "secret_store_bootstrap_private_key_file" "/run/svc-node/secret-store/bootstrap.key"
  "secret_store_health_url" .healthUrl
  "secret_store_request_timeout_seconds" (int (default 10 .requestTimeoutSeconds))
  "secret_store_rollback_window_seconds" (int (default 3600 .rollbackWindowSeconds))
-}}
{{- with .namespace -}}
{{- $_ := set $c "secret_store_namespace" . -}}
{{- end -}}
{{- if .clientCertificate -}}
{{- $_ := set $c "secret_store_client_certificate_file" "/etc/svc-node/secret-store/tls.crt" -}}
{{- $_ := set $c "secret_store_client_private_key_file" "/run/svc-node/secret-store/tls.key" -}}
{{- end -}}
{{- with .reload -}}
{{- $_ := set $c "secret_store_reload_binary_path" .binaryPath -}}
{{- $_ := set $c "secret_store_reload_binary_sha256" .binarySha256 -}}
{{- $_ := set $c "secret_store_reload_arguments" (default (list) .arguments) -}}
{{- $_ := set $c "secret_store_reload_timeout_seconds" (int (default 30 .timeoutSeconds)) -}}
{{- end -}}
{{- toJson $c -}}
{{- end -}}

{{- define "svc-node.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The name of what belongs to a release. */}}
{{- define "fanfare.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* Labels of everything; takes (list . "component"). */}}
{{- define "fanfare.labels" -}}
{{- $root := index . 0 -}}
{{ include "fanfare.selector" . }}
app.kubernetes.io/version: {{ $root.Values.image.tag | default $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end }}

{{- define "fanfare.selector" -}}
app.kubernetes.io/name: fanfare
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "fanfare.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "fanfare.serviceAccount" -}}
{{ if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "fanfare.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{/* The variables that a role has; takes (list . "role" settings), where the role is a key of kafka.users. */}}
{{- define "fanfare.environment" -}}
{{- $root := index . 0 -}}
{{- $role := index . 1 -}}
{{- $values := $root.Values -}}
- {name: KAFKA_BOOTSTRAP_SERVERS, value: {{ $values.kafka.bootstrapServers | quote }}}
- {name: FANFARE_CONTAINERS, value: {{ join "," $values.containers | quote }}}
- {name: FANFARE_ENVIRONMENTS, value: {{ $values.environment | quote }}}
- {name: FANFARE_PARTITIONS, value: {{ $values.partitions | quote }}}
{{- if and $values.internalToken.secret (ne $role "topics") }}
- {name: FANFARE_INTERNAL_TOKEN_FILE, value: /etc/fanfare/internal-token/{{ $values.internalToken.key }}}
{{- end }}
{{- if ne $values.kafka.securityProtocol "PLAINTEXT" }}
- {name: FANFARE_KAFKA_PROPERTY_SECURITY_PROTOCOL, value: {{ $values.kafka.securityProtocol | quote }}}
{{- end }}
{{- if contains "SSL" $values.kafka.securityProtocol }}
{{- if $values.kafka.authority.secret }}
- {name: FANFARE_KAFKA_PROPERTY_SSL_CA_LOCATION, value: /etc/fanfare/kafka-authority/{{ $values.kafka.authority.key }}}
{{- end }}
{{- if index $values.kafka.clientCertificates $role }}
- {name: FANFARE_KAFKA_PROPERTY_SSL_CERTIFICATE_LOCATION, value: /etc/fanfare/kafka-certificate/{{ $values.kafka.clientCertificateKeys.certificate }}}
- {name: FANFARE_KAFKA_PROPERTY_SSL_KEY_LOCATION, value: /etc/fanfare/kafka-certificate/{{ $values.kafka.clientCertificateKeys.key }}}
{{- end }}
{{- end }}
{{- if contains "SASL" $values.kafka.securityProtocol }}
{{- $user := index $values.kafka.users $role }}
- {name: FANFARE_KAFKA_PROPERTY_SASL_MECHANISM, value: {{ $values.kafka.saslMechanism | quote }}}
- {name: FANFARE_KAFKA_PROPERTY_SASL_USERNAME, value: {{ $user.name | quote }}}
- {name: FANFARE_KAFKA_PROPERTY_SASL_PASSWORD_FILE, value: /etc/fanfare/kafka-password/{{ $user.key }}}
{{- end }}
{{- range $name, $value := merge (dict) (index . 2) $values.settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}

{{/* The Secrets that a role reads; takes (list . "role"). */}}
{{- define "fanfare.secretMounts" -}}
{{- $values := (index . 0).Values -}}
{{- $role := index . 1 -}}
{{- if and (contains "SSL" $values.kafka.securityProtocol) $values.kafka.authority.secret }}
- {name: kafka-authority, mountPath: /etc/fanfare/kafka-authority, readOnly: true}
{{- end }}
{{- if index $values.kafka.clientCertificates $role }}
- {name: kafka-certificate, mountPath: /etc/fanfare/kafka-certificate, readOnly: true}
{{- end }}
{{- if and $values.internalToken.secret (ne $role "topics") }}
- {name: internal-token, mountPath: /etc/fanfare/internal-token, readOnly: true}
{{- end }}
{{- if contains "SASL" $values.kafka.securityProtocol }}
- {name: kafka-password, mountPath: /etc/fanfare/kafka-password, readOnly: true}
{{- end }}
{{- end }}

{{- define "fanfare.secretVolumes" -}}
{{- $values := (index . 0).Values -}}
{{- $role := index . 1 -}}
{{- if and (contains "SSL" $values.kafka.securityProtocol) $values.kafka.authority.secret }}
- {name: kafka-authority, secret: {secretName: {{ $values.kafka.authority.secret | quote }}}}
{{- end }}
{{- with index $values.kafka.clientCertificates $role }}
- {name: kafka-certificate, secret: {secretName: {{ . | quote }}, defaultMode: 0440}}
{{- end }}
{{- if and $values.internalToken.secret (ne $role "topics") }}
- {name: internal-token, secret: {secretName: {{ $values.internalToken.secret | quote }}, defaultMode: 0440}}
{{- end }}
{{- if contains "SASL" $values.kafka.securityProtocol }}
{{- $secret := required (printf "kafka.users.%s.secret names the Secret with its password" $role) (index $values.kafka.users $role).secret }}
- {name: kafka-password, secret: {secretName: {{ $secret | quote }}, defaultMode: 0440}}
{{- end }}
{{- end }}

{{- define "fanfare.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "fanfare.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* The API answers nothing here: the internal port says whether a process lives, and whether it can work. */}}
{{- define "fanfare.probes" -}}
# A process that catches up with its log for minutes lives and is not ready; nothing restarts it for that.
livenessProbe: {httpGet: {path: /health/live, port: internal}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6}
readinessProbe: {httpGet: {path: /health/ready, port: internal}, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2}
startupProbe: {httpGet: {path: /health/live, port: internal}, periodSeconds: 2, failureThreshold: 30}
{{- end }}

{{/* Labels of an object; arguments: root and component, which part it belongs to. */}}
{{- define "aliquot.labelsOf" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
app.kubernetes.io/part-of: aliquot
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
{{ include "aliquot.selectorOf" . }}
{{- end }}

{{/* What selects the pods of a part. A selector can't be changed, so these never change. */}}
{{- define "aliquot.selectorOf" -}}
app.kubernetes.io/name: aliquot-{{ .component }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "aliquot.labels" -}}
{{ include "aliquot.labelsOf" (dict "root" . "component" "allocator") }}
{{- end }}
{{- define "aliquot.selectorLabels" -}}
{{ include "aliquot.selectorOf" (dict "root" . "component" "allocator") }}
{{- end }}
{{- define "aliquot.agentLabels" -}}
{{ include "aliquot.labelsOf" (dict "root" . "component" "agent") }}
{{- end }}
{{- define "aliquot.schedulerLabels" -}}
{{ include "aliquot.labelsOf" (dict "root" . "component" "scheduler") }}
{{- end }}

{{/* The reference of an image; arguments: image and defaultTag. */}}
{{- define "aliquot.imageOf" -}}
{{- if .image.digest -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .defaultTag }}
{{- end -}}
{{- end }}

{{- define "aliquot.allocatorImage" -}}
{{ include "aliquot.imageOf" (dict "image" .Values.allocator.image "defaultTag" .Chart.AppVersion) }}
{{- end }}

{{- define "aliquot.serviceAccountUser" -}}
system:serviceaccount:{{ .Release.Namespace }}:aliquot-allocator
{{- end }}

{{- define "aliquot.agentUser" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ .Values.agent.serviceAccountName }}
{{- end }}

{{/* Where a pod goes; argument: the values that have nodeSelector, affinity and tolerations. Images are built for amd64. */}}
{{- define "aliquot.placement" -}}
nodeSelector:
  {{- toYaml (merge (dict "kubernetes.io/os" "linux" "kubernetes.io/arch" "amd64") .nodeSelector) | nindent 2 }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "aliquot.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Of pods that need no right on their node. */}}
{{- define "aliquot.restrictedPod" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  # The files of mounted Secrets are readable by this group only.
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- end }}
{{- define "aliquot.restrictedContainer" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* Our pods talk to the API server and to each other, inside the cluster: a proxy that somebody's webhook or image puts into
their environment would only break that. Empty wins over what an image says. */}}
{{- define "aliquot.noProxy" -}}
{{- range list "HTTPS_PROXY" "https_proxy" "HTTP_PROXY" "http_proxy" "ALL_PROXY" "all_proxy" }}
- {name: {{ . }}, value: ""}
{{- end }}
{{- end }}

{{/* A list of RBAC subjects; users and groups have an API group, service accounts a namespace. */}}
{{- define "aliquot.subjects" -}}
{{- range . }}
- kind: {{ .kind }}
  name: {{ .name | quote }}
  {{- if eq .kind "ServiceAccount" }}
  namespace: {{ .namespace }}
  {{- else }}
  apiGroup: rbac.authorization.k8s.io
  {{- end }}
{{- end }}
{{- end }}

{{/* CEL: the node that the API server says the request's token belongs to, as a list of one name; no name: an empty list.
A token has it when it is bound to a pod that runs on a node, as those are that the kubelet gives to pods. */}}
{{- define "aliquot.tokenNodes" -}}
has(request.userInfo.extra) && "authentication.kubernetes.io/node-name" in request.userInfo.extra ?
request.userInfo.extra["authentication.kubernetes.io/node-name"] : []
{{- end }}

{{/* The allocator's configuration file: what only the chart may say, over what the values say. */}}
{{- define "aliquot.configuration" -}}
{{- $fixed := dict
      "apiVersion" "aliquot.io/v1alpha1"
      "kind" "AllocatorConfiguration"
      "resourceNames" .Values.resourceNames
      "listen" (dict "extender" ":8443" "admission" ":8444" "monitor" "127.0.0.1:8080" "authenticated" ":8445") -}}
{{- $admission := dict "schedulerUsers" (include "aliquot.schedulerUsers" . | fromJsonArray) -}}
{{- if eq .Values.scheduler.mode "bundled" -}}
{{- $_ := set $admission "schedulerName" .Values.scheduler.name -}}
{{- end -}}
{{- if .Values.admission.translation.enabled -}}
{{- $_ := set $admission "cardMemory" .Values.admission.translation.cardMemory -}}
{{- end -}}
{{- $_ := set $fixed "admission" $admission -}}
{{- if eq .Values.certificates.mode "managed" -}}
{{- $_ := set $fixed "tls" (dict "mode" "managed") -}}
{{- else -}}
{{- $_ := set $fixed "tls" (dict
        "certificateFile" "/etc/aliquot/extender-tls/tls.crt"
        "keyFile" "/etc/aliquot/extender-tls/tls.key"
        "clientCAFile" "/etc/aliquot/client-ca/ca.crt"
        "admissionCertificateFile" "/etc/aliquot/admission-tls/tls.crt"
        "admissionKeyFile" "/etc/aliquot/admission-tls/tls.key") -}}
{{- end -}}
{{- if eq .Values.signing.mode "managed" -}}
{{- $_ := set $fixed "signing" (dict "mode" "managed") -}}
{{- else if eq .Values.signing.mode "given" -}}
{{- $_ := set $fixed "signing" (dict "keyFile" "/etc/aliquot/signing/signing.key") -}}
{{- end -}}
{{- toYaml (merge $fixed .Values.allocator.config) -}}
{{- end }}

{{/* The agents' configuration file, likewise. */}}
{{- define "aliquot.agentConfiguration" -}}
{{- $fixed := dict
      "apiVersion" "aliquot.io/v1alpha1"
      "kind" "AgentConfiguration"
      "resourceNames" .Values.resourceNames
      "gpu" (dict "driverRoot" "/driver-root" "deviceRoot" "/host/dev")
      "grant" (dict "stateDirectory" .Values.agent.stateDirectory "dataDirectory" .Values.agent.dataDirectory "cdiDirectory" .Values.agent.cdiDirectory)
      "kubelet" (dict
        "pluginDirectory" (printf "%s/device-plugins" .Values.agent.kubeletDirectory)
        "podResourcesSocket" (printf "%s/pod-resources/kubelet.sock" .Values.agent.kubeletDirectory))
      "startupTaint" .Values.agent.startupTaint
      "listen" (dict "monitor" "127.0.0.1:8082" "authenticated" ":8443") -}}
{{- if .Values.agent.enforcement -}}
{{- $_ := set $fixed "library" (dict "path" "/usr/lib/aliquot/libaliquot.so") -}}
{{- end -}}
{{- if ne .Values.signing.mode "off" -}}
{{- $_ := set $fixed "signing" (dict "publicKeys" "/etc/aliquot/signing-keys") -}}
{{- end -}}
{{- toYaml (merge $fixed .Values.agent.config) -}}
{{- end }}

{{/* Names of objects that depend on who makes certificates and keys. */}}
{{- define "aliquot.extenderSecret" -}}
{{ eq .Values.certificates.mode "given" | ternary .Values.certificates.given.extenderSecret "aliquot-extender-tls" }}
{{- end }}
{{- define "aliquot.admissionSecret" -}}
{{ eq .Values.certificates.mode "given" | ternary .Values.certificates.given.admissionSecret "aliquot-admission-tls" }}
{{- end }}
{{/* With cert-manager all are of one authority. It is taken from where the allocator never keeps one: after a change of mode what is there
is never that of before. */}}
{{- define "aliquot.clientCASecret" -}}
{{ eq .Values.certificates.mode "given" | ternary .Values.certificates.given.clientCASecret "aliquot-extender-tls" }}
{{- end }}
{{- define "aliquot.schedulerSecret" -}}
{{ eq .Values.certificates.mode "given" | ternary .Values.certificates.given.schedulerSecret "aliquot-scheduler-client" }}
{{- end }}
{{- define "aliquot.publicKeys" -}}
{{ eq .Values.signing.mode "given" | ternary .Values.signing.given.publicKeysConfigMap "aliquot-signing-keys" }}
{{- end }}

{{/* Namespaces whose pods no webhook sees: the control plane's, and ours, else our own pods could not start. */}}
{{- define "aliquot.namespaceSelector" -}}
matchExpressions:
  - key: kubernetes.io/metadata.name
    operator: NotIn
    values:
      {{- toYaml (concat (list "kube-system" .Release.Namespace) .Values.admission.excludedNamespaces | uniq) | nindent 6 }}
{{- end }}

{{/* CEL: a container of the pod names a resource of ours. */}}
{{- define "aliquot.namesOurResources" -}}
(object.spec.containers + (has(object.spec.initContainers) ? object.spec.initContainers : []))
.exists(c, has(c.resources) &&
((has(c.resources.limits) && c.resources.limits.exists(name, name.startsWith({{ .Values.resourceNames.prefix | quote }}))) ||
(has(c.resources.requests) && c.resources.requests.exists(name, name.startsWith({{ .Values.resourceNames.prefix | quote }})))))
{{- end }}

{{/* How the API server reaches the webhooks; arguments: root and path. */}}
{{- define "aliquot.webhookClient" -}}
service: {namespace: {{ .root.Release.Namespace }}, name: aliquot-admission, path: {{ .path }}, port: 8444}
{{- if eq .root.Values.certificates.mode "given" }}
{{- with .root.Values.certificates.given.caBundle }}
caBundle: {{ . }}
{{- end }}
{{- end }}
{{- end }}

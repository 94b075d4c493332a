{{/* Labels of every object; "component" says which part it belongs to. */}}
{{- define "aliquot.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/part-of: aliquot
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{ include "aliquot.selectorLabels" . }}
{{- end }}

{{/* What selects the allocator's pods. A Deployment's selector can't be changed, so these never change. */}}
{{- define "aliquot.selectorLabels" -}}
app.kubernetes.io/name: aliquot-allocator
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: allocator
{{- end }}

{{- define "aliquot.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "aliquot.serviceAccountUser" -}}
system:serviceaccount:{{ .Release.Namespace }}:aliquot-allocator
{{- end }}

{{/* Labels of the node agent's objects. */}}
{{- define "aliquot.agentLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/part-of: aliquot
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/name: aliquot-agent
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: agent
{{- end }}

{{- define "aliquot.agentUser" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ .Values.agent.serviceAccountName }}
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

{{/* The allocator's configuration file: what the values say, then what only the chart may say. */}}
{{- define "aliquot.configuration" -}}
{{- $fixed := dict
      "apiVersion" "aliquot.io/v1alpha1"
      "kind" "AllocatorConfiguration"
      "resourceNames" .Values.resourceNames
      "listen" (dict "extender" ":8443" "admission" ":8444" "monitor" "127.0.0.1:8080")
      "tls" (dict
        "certificateFile" "/etc/aliquot/extender-tls/tls.crt"
        "keyFile" "/etc/aliquot/extender-tls/tls.key"
        "clientCAFile" "/etc/aliquot/client-ca/ca.crt"
        "admissionCertificateFile" "/etc/aliquot/admission-tls/tls.crt"
        "admissionKeyFile" "/etc/aliquot/admission-tls/tls.key") -}}
{{- toYaml (merge $fixed .Values.config) -}}
{{- end }}

{{/* Combinations that the schema can't express. */}}
{{- define "aliquot.validate" -}}
{{- $names := .Values.resourceNames -}}
{{- range $key := list "core" "memory" -}}
{{- if not (hasPrefix $names.prefix (index $names $key)) -}}
{{- fail (printf "resourceNames.%s %q does not begin with resourceNames.prefix %q; set a prefix of both names" $key (index $names $key) $names.prefix) -}}
{{- end -}}
{{- end -}}
{{- if eq $names.core $names.memory -}}
{{- fail (printf "resourceNames.core and resourceNames.memory are both %q; give them different names" $names.core) -}}
{{- end -}}
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

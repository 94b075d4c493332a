{{/* A headless Service that only names what Prometheus scrapes, and its ServiceMonitor. Arguments: root, name,
component, port: of the Service, targetPort: number or name of the container's, tls. */}}
{{- define "aliquot.scraped" -}}
{{- $labels := dict "app.kubernetes.io/part-of" "aliquot" "app.kubernetes.io/managed-by" .root.Release.Service "app.kubernetes.io/version" .root.Chart.AppVersion "app.kubernetes.io/name" .name "app.kubernetes.io/instance" .root.Release.Name "app.kubernetes.io/component" .component -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- toYaml $labels | nindent 4 }}
spec:
  clusterIP: None
  # One that is not ready says why in its metrics.
  publishNotReadyAddresses: true
  selector:
    app.kubernetes.io/name: {{ .name }}
    app.kubernetes.io/instance: {{ .root.Release.Name }}
    app.kubernetes.io/component: {{ .component }}
  ports:
    - {name: pages, port: {{ .port }}, targetPort: {{ .targetPort }}}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- toYaml $labels | nindent 4 }}
    {{- with .root.Values.monitoring.serviceMonitor.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  # The job that alerts and dashboard name.
  jobLabel: app.kubernetes.io/name
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ .name }}
      app.kubernetes.io/instance: {{ .root.Release.Name }}
      app.kubernetes.io/component: {{ .component }}
  namespaceSelector:
    matchNames: [{{ .root.Release.Namespace }}]
  endpoints:
    - port: pages
      path: /metrics
      scheme: https
      interval: {{ .root.Values.monitoring.serviceMonitor.interval }}
      # Prometheus shows its own service account's token, and the API server is asked whether it may read /metrics.
      bearerTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
      {{- .tls | nindent 6 }}
      # namespace, pod and container of a share are those of the pod that holds it, not of the scraped one.
      honorLabels: true
      relabelings:
        - sourceLabels: [__meta_kubernetes_pod_node_name]
          targetLabel: node
{{- end }}

{{/* An agent shows a certificate that it made itself at its start; nobody signed it, so there is nothing to verify it with.
Whoever can answer in the place of an agent's pod address gets Prometheus' token; keep that account's rights small. */}}
{{- define "aliquot.agentScrapeTLS" -}}
tlsConfig: {insecureSkipVerify: true}
{{- end }}

{{/* The allocator shows the extender's certificate. Its authority is in the Secret that kube-scheduler verifies it by; during a
replacement that holds both. The Prometheus operator takes this one key out of the Secret, and follows its changes. */}}
{{- define "aliquot.allocatorScrapeTLS" -}}
tlsConfig:
  ca:
    secret: {name: {{ include "aliquot.extenderCASecret" . }}, key: ca.crt}
  serverName: aliquot-extender.{{ .Release.Namespace }}.svc
{{- end }}

{{/* With cert-manager as for aliquot.clientCASecret. */}}
{{- define "aliquot.extenderCASecret" -}}
{{ eq .Values.certificates.mode "certManager" | ternary "aliquot-extender-tls" (include "aliquot.schedulerSecret" .) }}
{{- end }}

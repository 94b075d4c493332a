{{/* Who may bind with our keys in the Binding: the users of kube-schedulers whose binds pass through the stamp, which writes the
keys under their name, and the bundled scheduler. The allocator's admission.schedulerUsers is the same list. JSON. */}}
{{- define "aliquot.schedulerUsers" -}}
{{- $users := .Values.guards.schedulers -}}
{{- if eq ((.Values.scheduler).mode | default "") "bundled" -}}
{{- $users = append $users (printf "system:serviceaccount:%s:aliquot-scheduler" .Release.Namespace) -}}
{{- end -}}
{{- toJson ($users | uniq) -}}
{{- end }}

{{/* The annotations of a pod that only we write, as api::IsOwnPodAnnotation has them. Those of gpu-manager, which
guards.recordWriters may write as well, are two exact names, one more, and every name with a prefix. CEL lists.

A pod has up to 256 KiB of annotations, that is tens of thousands of short ones, and the API server ends an expression that
costs too much. So exact names are looked up, and a loop over all keys asks one thing only. */}}
{{- define "aliquot.gpuManagerKeys" -}}
["tencent.com/predicate-node", "tencent.com/predicate-time", "tencent.com/gpu-assigned"]
{{- end }}
{{- define "aliquot.aliquotKeys" -}}
["aliquot.io/allocation", "aliquot.io/allocation-signature", "aliquot.io/requeued"]
{{- end }}
{{- define "aliquot.indexPrefix" -}}
"tencent.com/predicate-gpu-idx-"
{{- end }}

{{/* CEL: the object named by the dot has an annotation of ours. */}}
{{- define "aliquot.hasOwnKey" -}}
(has({{ . }}.metadata.annotations) && (
{{ include "aliquot.aliquotKeys" . }}.exists(key, key in {{ . }}.metadata.annotations) ||
{{ include "aliquot.gpuManagerKeys" . }}.exists(key, key in {{ . }}.metadata.annotations) ||
{{ . }}.metadata.annotations.exists(key, key.startsWith({{ include "aliquot.indexPrefix" . }}))))
{{- end }}

{{/* CEL: of a list of keys none is set, changed or removed. */}}
{{- define "aliquot.keysAsBefore" -}}
{{ . }}.all(key, (key in variables.annotations) == (key in variables.oldAnnotations) &&
(!(key in variables.annotations) || variables.annotations[key] == variables.oldAnnotations[key]))
{{- end }}

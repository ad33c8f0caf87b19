{{- define "console.name" -}}
{{- if contains "agent-console" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-agent-console" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end -}}

{{- define "console.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Takes a dict with `root` and `component`: api, relay or migrate. */}}
{{- define "console.selector" -}}
app.kubernetes.io/name: agent-console
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "console.labels" -}}
{{ include "console.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "console.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "console.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Takes the references of a workload. */}}
{{- define "console.secretVariables" -}}
{{- range $name, $reference := . }}
- name: {{ $name }}_FILE
  value: /run/secrets/agent-console/{{ $name }}
{{- end }}
{{- end -}}

{{- define "console.secretVolume" -}}
name: secrets
projected:
  # 0440 in octal, which YAML 1.1 and 1.2 spell differently.
  defaultMode: 288
  sources:
    {{- range $name, $reference := . }}
    - secret:
        name: {{ $reference.name }}
        items: [{ key: {{ $reference.key }}, path: {{ $name }} }]
    {{- end }}
{{- end -}}

{{/* Replicas on different machines and, if there are some, in different zones. */}}
{{- define "console.spread" -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "console.selector" $ | nindent 6 }}
{{- end }}
{{- end -}}

{{- define "console.placement" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

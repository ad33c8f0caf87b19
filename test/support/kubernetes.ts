import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { validate as validateDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment'
import { validate as validateAutoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler'
import { validate as validateJob } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job'
import { validate as validateConfigMap } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap'
import { validate as validateService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service'
import { validate as validateNetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy'
import { validate as validateDisruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget'
import { parseAllDocuments } from 'yaml'

const root = join(import.meta.dirname, '../..')

/** `.ci/node` names the one that CI installs. */
const HELM = process.env['HELM'] ?? 'helm'

// oxlint-disable-next-line typescript/no-explicit-any -- a test says itself what it expects of a manifest
export type Manifest = Record<string, any>

type Validate = ((data: unknown) => boolean) & { errors?: { instancePath: string; keyword: string }[] | null }

const VALIDATORS: Record<string, unknown> = {
  'apps/v1 Deployment': validateDeployment,
  'autoscaling/v2 HorizontalPodAutoscaler': validateAutoscaler,
  'batch/v1 Job': validateJob,
  'networking.k8s.io/v1 NetworkPolicy': validateNetworkPolicy,
  'policy/v1 PodDisruptionBudget': validateDisruptionBudget,
  'v1 ConfigMap': validateConfigMap,
  'v1 Service': validateService,
}

/** Runs helm without the environment and the home of the machine: they could name a cluster. */
export function helm(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr, error } = spawnSync(HELM, args, {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
  })
  if (error) throw new Error('helm is missing: .ci/node installs it', { cause: error })
  return { status, stdout, stderr }
}

/** The manifests of the chart with these values, each given as `path=value`. */
export function render(...values: string[]): Manifest[] {
  const set = values.flatMap((value) => ['--set', value])
  const { status, stdout, stderr } = helm(
    ...[
      'template',
      'console',
      'deploy/helm/agent-console',
      '--namespace',
      'agents',
      '--kube-version',
      '1.34.0',
    ],
    ...set,
  )
  if (status !== 0) throw new Error(stderr)
  return parseAllDocuments(stdout).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    const manifest = document.toJS() as Manifest | null
    return manifest === null ? [] : [manifest]
  })
}

/** What Kubernetes would refuse, also fields that it does not know. The validators ignore those, but read every field that
 * they know: what a validator has not read is unknown. */
export function findFaults(manifest: Manifest): string[] {
  const kind = `${manifest['apiVersion']} ${manifest['kind']}`
  const validate = VALIDATORS[kind] as Validate | undefined
  if (!validate) return [`${kind} is not a kind that the chart should have`]
  const read = new Set<string>()
  const isValid = validate(observe(manifest, '', (path) => read.add(path)))
  const errors = isValid ? [] : (validate.errors ?? []).map((each) => `${each.instancePath} ${each.keyword}`)
  const unknown = pathsOf(manifest, '').filter((path) => !read.has(path))
  return [...errors, ...unknown.map((path) => `${path} is unknown`)]
}

function observe<Value>(value: Value, path: string, onRead: (path: string) => void): Value {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof name !== 'string' || !Object.hasOwn(target, name)) return member
      onRead(`${path}/${name}`)
      return observe(member, `${path}/${name}`, onRead)
    },
  })
}

function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    `${path}/${name}`,
    ...pathsOf(member, `${path}/${name}`),
  ])
}

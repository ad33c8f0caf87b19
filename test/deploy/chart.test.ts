import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { readConfig, readRelayConfig } from '../../src/config/config.ts'
import { knownVariables } from '../support/configuration.ts'
import { findFaults, helm, type Manifest, render } from '../support/kubernetes.ts'

/** The chart was never installed into a cluster here: these tests render it, and compare it with the schemas of Kubernetes. */

const root = join(import.meta.dirname, '../..')
const chart = 'deploy/helm/agent-console'

const find = (manifests: Manifest[], kind: string, component: string): Manifest => {
  const found = manifests.filter(
    (each) => each['kind'] === kind && each['metadata'].labels['app.kubernetes.io/component'] === component,
  )
  assert.equal(found.length, 1, `${kind} of ${component}`)
  return found[0] as Manifest
}
const podOf = (manifest: Manifest) => manifest['spec'].template.spec

describe('the chart', () => {
  const defaults = render()
  const everything = render(
    'servicesFile=services: []',
    'autoscaling.requestsInFlight=50',
    `image.digest=sha256:${'a'.repeat(64)}`,
    'podAnnotations.a=b',
    'nodeSelector.disk=ssd',
    'tolerations[0].key=dedicated',
    'imagePullSecrets[0].name=registry',
  )
  const smallest = render('autoscaling.enabled=false', 'networkPolicy.enabled=false', 'migrate.enabled=false')
  const workloads = [
    find(defaults, 'Deployment', 'api'),
    find(defaults, 'Deployment', 'relay'),
    find(defaults, 'Job', 'migrate'),
  ]

  it('passes helm lint', () => {
    const { status, stdout } = helm('lint', '--strict', chart)
    assert.equal(status, 0, stdout)
  })

  it('has only manifests that the schemas of Kubernetes accept, without unknown fields', () => {
    for (const manifest of [...defaults, ...everything, ...smallest])
      assert.deepEqual(findFaults(manifest), [], `${manifest['kind']} ${manifest['metadata'].name}`)
  })

  it('would be refused with an unknown field or a wrong type: the check finds both', () => {
    const wrong = structuredClone(find(defaults, 'Deployment', 'api'))
    podOf(wrong).containers[0].imagee = 'x'
    podOf(wrong).containers[0].livenessProbe.httpGet.pathh = '/'
    wrong['spec'].replicas = 'two'
    assert.deepEqual(findFaults(wrong), [
      '/spec/replicas type',
      '/spec/template/spec/containers/0/livenessProbe/httpGet/pathh is unknown',
      '/spec/template/spec/containers/0/imagee is unknown',
    ])
  })

  it('refuses values that it does not know, secrets among the plain variables, and a policy that allows everyone', () => {
    for (const [value, reason] of [
      ['api.replica=3', /replica is not allowed/],
      ['config.SECRETS_KEYS=k1:x', /config/],
      ['image.digest=latest', /digest/],
      ['networkPolicy.clients=null', /clients|type/],
    ] as const) {
      assert.throws(() => render(value), reason)
    }
  })

  it('runs API and relay apart, and migrations before both', () => {
    const [api, relay, migrate] = workloads.map(podOf)
    assert.deepEqual(api.containers[0].args, ['serve'])
    assert.ok(
      api.containers[0].env.some((each: Manifest) => each['name'] === 'RELAY' && each['value'] === 'off'),
    )
    assert.deepEqual(relay.containers[0].args, ['relay'])
    assert.deepEqual(migrate.containers[0].args, ['migrate'])
    const hook = workloads[2]?.['metadata'].annotations['helm.sh/hook']
    assert.equal(hook, 'pre-install,pre-upgrade')
  })

  it('gives no process privileges, a token of the cluster, or a writable file system', () => {
    for (const pod of workloads.map(podOf)) {
      assert.equal(pod.automountServiceAccountToken, false)
      assert.equal(pod.securityContext.runAsNonRoot, true)
      assert.deepEqual(pod.securityContext.seccompProfile, { type: 'RuntimeDefault' })
      for (const { securityContext, resources } of pod.containers) {
        assert.equal(securityContext.allowPrivilegeEscalation, false)
        assert.equal(securityContext.readOnlyRootFilesystem, true)
        assert.deepEqual(securityContext.capabilities, { drop: ['ALL'] })
        assert.ok(resources.limits.memory && resources.requests.cpu)
        assert.equal(resources.limits.cpu, undefined)
      }
    }
  })

  it('contains no Secret: each secret is a reference, and a file', () => {
    for (const manifest of everything) assert.notEqual(manifest['kind'], 'Secret')
    const pod = podOf(find(defaults, 'Deployment', 'relay'))
    const names = pod.containers[0].env.map((each: Manifest) => each['name'])
    assert.deepEqual(names, ['DATABASE_URL_FILE', 'NATS_URL_FILE'])
    const paths = pod.volumes[0].projected.sources.map((each: Manifest) => each['secret'].items[0].path)
    assert.deepEqual(paths, ['DATABASE_URL', 'NATS_URL'])
    assert.ok(!JSON.stringify(pod).includes('SECRETS_KEYS'), 'the relay gets no keys')
  })

  it('sets only variables that the console reads', () => {
    const values = parse(readFileSync(join(root, chart, 'values.yaml'), 'utf8')) as Manifest
    const known = knownVariables()
    const names = [values['config'], values['secrets'].api, values['secrets'].relay].flatMap(Object.keys)
    assert.deepEqual(
      names.filter((name) => !known.includes(name)),
      [],
    )
    // With its secrets, the default configuration is complete.
    const secrets = {
      DATABASE_URL: 'postgres://console@postgres/console?sslmode=verify-full',
      SECRETS_KEYS: `k1:${Buffer.from(Array.from({ length: 32 }, (_, n) => n * 7)).toString('base64')}`,
      NATS_URL: 'tls://nats:4222',
    }
    assert.equal(readConfig({ ...values['config'], ...secrets, RELAY: 'off' }).events?.stream.replicas, 3)
    assert.equal(readRelayConfig({ ...values['config'], ...secrets }).events.stream.replicas, 3)
  })

  it('has probes: readiness for the load balancer, liveness that does not depend on the database', () => {
    const [{ startupProbe, livenessProbe, readinessProbe }] = podOf(
      find(defaults, 'Deployment', 'api'),
    ).containers
    assert.equal(startupProbe.httpGet.path, '/health/live')
    assert.equal(livenessProbe.httpGet.path, '/health/live')
    assert.equal(readinessProbe.httpGet.path, '/health/ready')
    assert.ok(readinessProbe.periodSeconds * 1_000 * 2 <= 5_000, 'at most half of SHUTDOWN_DELAY_MS')
    assert.ok(podOf(find(defaults, 'Deployment', 'relay')).containers[0].livenessProbe)
  })

  it('gives a replica the time that it needs to shut down', () => {
    const { shutdownDelayMs, shutdownTimeoutMs } = readConfig({
      ...{ DATABASE_URL: 'postgres://localhost/x', AUTH_ISSUER: 'https://id', AUTH_AUDIENCE: 'x' },
      SECRETS_KEYS: `k1:${Buffer.from(Array.from({ length: 32 }, (_, n) => n)).toString('base64')}`,
    })
    const seconds = podOf(find(defaults, 'Deployment', 'api')).terminationGracePeriodSeconds
    assert.ok(seconds * 1_000 >= shutdownDelayMs + shutdownTimeoutMs + 10_000)
  })

  it('selects exactly the pods of each workload', () => {
    for (const component of ['api', 'relay']) {
      const deployment = find(defaults, 'Deployment', component)
      const selector = deployment['spec'].selector.matchLabels
      const labels = deployment['spec'].template.metadata.labels
      for (const [name, value] of Object.entries(selector)) assert.equal(labels[name], value)
      assert.equal(selector['app.kubernetes.io/component'], component)
      assert.deepEqual(
        find(defaults, 'PodDisruptionBudget', component)['spec'].selector.matchLabels,
        selector,
      )
      assert.deepEqual(find(defaults, 'NetworkPolicy', component)['spec'].podSelector.matchLabels, selector)
      for (const spread of podOf(deployment).topologySpreadConstraints)
        assert.deepEqual(spread.labelSelector.matchLabels, selector)
      assert.equal(podOf(deployment).topologySpreadConstraints.length, 2)
    }
    const service = find(defaults, 'Service', 'api')
    assert.deepEqual(
      service['spec'].selector,
      find(defaults, 'Deployment', 'api')['spec'].selector.matchLabels,
    )
    assert.deepEqual(
      service['spec'].ports.map((port: Manifest) => port['targetPort']),
      ['http'],
    )
  })

  it('scales by processor and by requests in flight', () => {
    const metrics = find(everything, 'HorizontalPodAutoscaler', 'api')['spec'].metrics
    assert.deepEqual(
      metrics.map((metric: Manifest) => metric['resource']?.name ?? metric['pods'].metric.name),
      ['cpu', 'console_requests_in_flight'],
    )
    assert.equal(find(defaults, 'HorizontalPodAutoscaler', 'api')['spec'].metrics.length, 1)
    assert.equal(find(defaults, 'Deployment', 'api')['spec'].replicas, undefined, 'the autoscaler decides')
    assert.equal(find(smallest, 'Deployment', 'api')['spec'].replicas, 2)
  })

  it('lets only Prometheus reach the metrics, and only clients the API', () => {
    const { ingress, egress, policyTypes } = find(defaults, 'NetworkPolicy', 'api')['spec']
    assert.deepEqual(policyTypes, ['Ingress', 'Egress'])
    const allowed = Object.fromEntries(
      ingress.map((rule: Manifest) => [
        rule['ports'][0].port,
        rule['from'][0].namespaceSelector.matchLabels['kubernetes.io/metadata.name'],
      ]),
    )
    assert.deepEqual(allowed, { http: 'ingress-nginx', metrics: 'monitoring' })
    const ports = egress.flatMap((rule: Manifest) => rule['ports'].map((each: Manifest) => each['port']))
    assert.deepEqual(ports, [53, 53, 443, 4222, 5432, 6379])
    assert.equal(find(defaults, 'NetworkPolicy', 'relay')['spec'].ingress.length, 1)
  })

  it('restarts the replicas when the configuration changes, and takes an image by its digest', () => {
    const checksum = (manifests: Manifest[]) =>
      find(manifests, 'Deployment', 'api')['spec'].template.metadata.annotations['checksum/config']
    assert.notEqual(checksum(defaults), checksum(render('config.LOG_LEVEL=debug')))
    assert.match(podOf(find(everything, 'Deployment', 'api')).containers[0].image, /@sha256:a{64}$/)
  })
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createGzip } from 'node:zlib'
import { freePorts } from '../../dev/free-port.ts'
import { endCommands } from './command.ts'
import { type Container, createContainers } from './containers.ts'
import { type Engine, findEngine } from './engine.ts'
import { prepareSurroundings } from './surroundings.ts'

/** Builds the image, runs every command of it as a user without privileges on a read-only file system, against the
 * PostgreSQL and NATS of this machine, and removes all that it made. */

const MAX_COMPRESSED_MB = 75
const READY_TIMEOUT_MS = 30_000
const HEALTH = ['node', '/app/bin/agent-console.ts', 'health']

let failures = 0
let isInterrupted = false
async function check(what: string, work: () => Promise<string>): Promise<void> {
  if (isInterrupted) await new Promise(() => {})
  const startedAt = performance.now()
  const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`
  try {
    const found = await work()
    process.stdout.write(`  ✓ ${what}: ${found} (${seconds()})\n`)
  } catch (error) {
    failures += 1
    process.stdout.write(`  ✗ ${what}: ${(error as Error).message} (${seconds()})\n`)
  }
}

async function tryImage(engine: Engine, cleanUp: AsyncDisposableStack): Promise<void> {
  const { once, start, inspect } = createContainers(engine)
  const { environment, token, waiting, remove } = await prepareSurroundings()
  cleanUp.defer(remove)
  const [port = 0, metricsPort = 0, relayPort = 0] = await freePorts(3)
  const api = `http://127.0.0.1:${port}`
  const run = async (name: string, ports: Record<string, string>): Promise<Container> => {
    const container = await start({ ...environment, ...ports }, name)
    cleanUp.defer(container.remove)
    return container
  }

  await check('size', async () => {
    const disk = Number(await inspect('{{.Size}}')) / 1e6
    const compressed = (await compressedBytes(engine)) / 1e6
    assert.ok(compressed < MAX_COMPRESSED_MB, `${compressed.toFixed(1)} MB compressed`)
    return `${disk.toFixed(1)} MB on disk, ${compressed.toFixed(1)} MB compressed`
  })
  await check('an unknown command exits with 2 and lists the commands', async () => {
    const { code, stderr } = await once({}, 'unknown')
    assert.equal(code, 2, stderr)
    assert.match(stderr, /migrate/)
    return 'usage'
  })
  await check('serve without configuration lists what is missing', async () => {
    const { code, stderr } = await once({}, 'serve')
    assert.equal(code, 1, stderr)
    assert.match(stderr, /DATABASE_URL is missing/)
    return 'exit code 1'
  })
  await check('migrate', async () => {
    const { code, stdout, stderr } = await once(environment, 'migrate')
    assert.equal(code, 0, stderr || stdout)
    return 'exit code 0'
  })

  const serve = await run('serve', { PORT: `${port}`, METRICS_PORT: `${metricsPort}`, RELAY: 'off' })
  await check('serve becomes ready', () => untilReady(api, serve))
  await check('runs as 65532 without capabilities and new privileges', async () => {
    const status = await serve.status()
    const [uid, effective, noNew] = ['Uid', 'CapEff', 'NoNewPrivs'].map(
      (name) => status.get(name)?.split('\t')[0],
    )
    assert.deepEqual([uid, effective, noNew], ['65532', '0000000000000000', '1'])
    return `Uid ${uid}, CapEff ${effective}, NoNewPrivs ${noNew}, resident ${status.get('VmRSS')}`
  })
  await check('the file system is read-only and there is no shell', async () => {
    for (const path of ['/app/x', '/etc/x', '/x']) {
      const { stderr } = await serve.exec('node', '-e', `require('node:fs').writeFileSync('${path}', '')`)
      assert.match(stderr, /EROFS/, path)
    }
    for (const shell of ['sh', 'bash'])
      assert.notEqual((await serve.exec(shell, '-c', 'true')).code, 0, shell)
    return 'EROFS'
  })
  await check('the health check succeeds', async () => {
    const { code, stderr } = await serve.exec(...HEALTH)
    assert.equal(code, 0, stderr)
    return 'exit code 0'
  })
  await check('POST, PUT and GET of an agent', () => changeAgent(api, token))
  await check('the browser console, the reference page and the document', async () => {
    for (const path of ['/console/', '/docs/', '/openapi.json'])
      assert.equal((await fetch(`${api}${path}`)).status, 200, path)
    return '200'
  })

  // Nothing listens on port 1: the health check must find out that this is a relay.
  const relay = await run('relay', { PORT: '1', METRICS_PORT: `${relayPort}` })
  await check('relay delivers what serve wrote', async () => {
    await until(async () => (await waiting()) === 0, relay)
    assert.equal((await relay.exec(...HEALTH)).code, 0, 'health')
    return 'the outbox is empty, the health check succeeds'
  })
  for (const command of ['rotate-secrets', 'new-epoch']) {
    await check(command, async () => {
      const { code, stdout, stderr } = await once(environment, command)
      assert.equal(code, 0, stderr)
      return stdout.split('\n').at(-1) ?? ''
    })
  }
  for (const [name, container] of Object.entries({ serve, relay })) {
    await check(`SIGTERM ends ${name}`, async () => {
      const { code, ms } = await container.stop()
      assert.equal(code, 0, await container.logs())
      return `exit code 0 after ${ms} ms`
    })
  }
}

async function changeAgent(api: string, token: () => Promise<string>): Promise<string> {
  const headers = { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' }
  const agents = `${api}/v1/agent-configurations`
  const request = async (method: string, url: string, body?: object) => {
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    assert.ok(response.ok, `${method} returned ${response.status}: ${text}`)
    return { status: response.status, etag: response.headers.get('etag'), agent: JSON.parse(text) }
  }
  const created = await request('POST', agents, {
    agent_name: 'Trial',
    model_name: 'm',
    api_key: 'trial-key',
  })
  const put = await request('PUT', `${agents}/${created.agent.id}`, { purpose: 'support' })
  const read = await request('GET', `${agents}/${created.agent.id}`)
  assert.equal(read.agent.purpose, 'support')
  assert.equal(read.agent.agent_name, 'Trial')
  return `${created.status}, ${put.status} with ETag ${put.etag}, ${read.status}`
}

async function untilReady(api: string, container: Container): Promise<string> {
  let body = ''
  await until(async () => {
    const response = await fetch(`${api}/health/ready`).catch(() => undefined)
    body = (await response?.text()) ?? ''
    return response?.status === 200 && body.includes('"status":"ready"')
  }, container)
  return body
}

async function until(holds: () => Promise<boolean>, container: Container): Promise<void> {
  const givenUpAt = Date.now() + READY_TIMEOUT_MS
  while (!(await holds())) {
    if (Date.now() > givenUpAt) throw new Error(`not within 30 s; the log:\n${await container.logs()}`)
    await sleep(100)
  }
}

/** As a registry would store it: an archive of all layers, gzip. */
async function compressedBytes({ command, image }: Engine): Promise<number> {
  const [program = '', ...before] = command
  const save = spawn(program, [...before, 'save', image], { stdio: ['ignore', 'pipe', 'ignore'] })
  let bytes = 0
  for await (const chunk of save.stdout.pipe(createGzip())) bytes += (chunk as Buffer).length
  return bytes
}

await using cleanUp = new AsyncDisposableStack()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    isInterrupted = true
    void endCommands()
      .then(() => cleanUp.disposeAsync())
      .finally(() => process.exit(130))
  })
}
const engine = await findEngine(fileURLToPath(new URL('../..', import.meta.url)))
cleanUp.defer(engine.remove)
process.stdout.write(`Trying the image with ${engine.name}\n`)
await check('build', async () => {
  const pruned = (await engine.build()).match(/removed \d+ files.*/g) ?? []
  return [engine.image, ...pruned].join('\n      ')
})
if (failures === 0) await tryImage(engine, cleanUp)
process.stdout.write(failures === 0 ? 'The image works.\n' : `${failures} checks failed.\n`)
process.exitCode = failures === 0 ? 0 : 1

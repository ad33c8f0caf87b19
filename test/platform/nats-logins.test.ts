import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { nkeys } from '@nats-io/transport-node'
import { freePorts } from '../../dev/free-port.ts'
import { readRelayConfig } from '../../src/config/config.ts'
import { EventStream } from '../../src/platform/nats/stream.ts'
import { createLog } from '../../src/platform/observe/log.ts'
import { createNatsProcess, type NatsProcess } from '../support/nats-process.ts'
import { until } from '../support/until.ts'

type KeyPair = ReturnType<typeof nkeys.createUser>

const seedOf = (pair: KeyPair) => new TextDecoder().decode(pair.getSeed())

/** A JWT as NATS signs them. */
function natsJwt(signer: KeyPair, subject: KeyPair, nats: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iat: 1, iss: signer.getPublicKey(), sub: subject.getPublicKey(), name: 'test', nats }
  const text = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode(claims)}`
  return `${text}.${Buffer.from(signer.sign(new TextEncoder().encode(text))).toString('base64url')}`
}

describe('the login to NATS', () => {
  let folder: string
  let port: number | undefined
  let server: NatsProcess | undefined
  let events: EventStream | undefined
  let logLines: string[] = []
  const log = createLog('info', { write: (line) => void logLines.push(line) })
  const path = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })

  /** A key and a certificate, signed by the authority in `ca.pem`. */
  const certify = async (name: string, extension: string) => {
    await writeFile(path(`${name}.ext`), extension)
    openssl(
      'req',
      '-newkey',
      'ed25519',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
    )
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-days', '2', '-extfile', `${name}.ext`, '-out', `${name}.pem`],
    )
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'console-nats-'))
    ;[port] = await freePorts(1)
    openssl(
      ...['req', '-x509', '-newkey', 'ed25519', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem'],
      ...['-subj', '/CN=authority', '-days', '2'],
    )
    await certify('server', 'subjectAltName=DNS:localhost')
    await certify('console', 'extendedKeyUsage=clientAuth')
  })
  afterEach(async () => {
    await events?.close()
    await server?.stop()
    logLines = []
  })
  after(() => rm(folder, { recursive: true }))

  const serve = async (config: string) => {
    await writeFile(path('nats.conf'), `listen: "127.0.0.1:${port}"\n${config}`)
    server = createNatsProcess(['-c', path('nats.conf')])
    await server.start()
  }
  const connectWith = (environment: Record<string, string>, protocol = 'nats') => {
    const config = readRelayConfig({
      DATABASE_URL: 'postgres://postgres@127.0.0.1/x',
      NATS_URL: `${protocol}://localhost:${port}`,
      ...environment,
    })
    const stream = new EventStream(config.events, log)
    events = stream
    return { isUp: () => stream.isUp() }
  }
  const isRefused = (text: RegExp) => () => logLines.some((line) => text.test(line))

  it('may be by NKey', async () => {
    const [user, stranger] = [nkeys.createUser(), nkeys.createUser()]
    await serve(`authorization { users: [{ nkey: ${user.getPublicKey()} }] }`)
    await until('it is connected', connectWith({ NATS_NKEY: seedOf(user) }).isUp)
    await events?.close()
    const { isUp } = connectWith({ NATS_NKEY: seedOf(stranger) })
    await until('another key is refused', isRefused(/Authorization Violation/))
    assert.equal(isUp(), false)
    assert.ok(!logLines.join('').includes(seedOf(stranger)))
  })

  it('may be by a credentials file', async () => {
    const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()]
    const unlimited = { subs: -1, data: -1, payload: -1 }
    const limits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
    const accountJwt = natsJwt(operator, account, { limits, type: 'account', version: 2 })
    await serve(`
      operator: ${natsJwt(operator, operator, { type: 'operator', version: 2 })}
      resolver: MEMORY
      resolver_preload: { ${account.getPublicKey()}: ${accountJwt} }`)
    const credentials = (signer: KeyPair) => `-----BEGIN NATS USER JWT-----
${natsJwt(signer, user, { ...unlimited, pub: {}, sub: {}, type: 'user', version: 2 })}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seedOf(user)}
------END USER NKEY SEED------
`
    await writeFile(path('console.creds'), credentials(account))
    await until('it is connected', connectWith({ NATS_CREDENTIALS_FILE: path('console.creds') }).isUp)
    await events?.close()
    const { isUp } = connectWith({ NATS_CREDENTIALS: credentials(nkeys.createAccount()) })
    await until('a user of another account is refused', isRefused(/Authorization Violation/))
    assert.equal(isUp(), false)
  })

  it('may be by a certificate, to a server whose certificate the authority has signed', async () => {
    await serve(`tls { cert_file: "${path('server.pem')}", key_file: "${path('server.key')}",
      ca_file: "${path('ca.pem')}", verify: true }`)
    const certificate = { NATS_TLS_CERT_FILE: path('console.pem'), NATS_TLS_KEY_FILE: path('console.key') }
    const authority = { NATS_TLS_CA: (await readFile(path('ca.pem'), 'utf8')).replaceAll('\n', '\\n') }
    await until('it is connected', connectWith({ ...certificate, ...authority }).isUp)
    await events?.close()
    await until('it is connected', connectWith({ ...certificate, ...authority }, 'tls').isUp)
    await events?.close()
    const { isUp } = connectWith(certificate)
    await until('an unknown server is refused', isRefused(/unable to (?:verify|get)|self.signed/i))
    assert.equal(isUp(), false)
  })

  it('is checked at the start, without a word of a secret', () => {
    const seed = seedOf(nkeys.createUser())
    for (const [environment, message] of [
      [{ NATS_NKEY: seed.slice(1) }, /NATS_NKEY must be the seed of an NKey of a user/],
      [{ NATS_NKEY: seedOf(nkeys.createAccount()) }, /NATS_NKEY must be the seed of an NKey of a user/],
      [{ NATS_CREDENTIALS: seed }, /NATS_CREDENTIALS must be the content of a credentials file/],
      [{ NATS_TLS_CERT: seed }, /NATS_TLS_CERT must be in PEM/],
      [{ NATS_NKEY: seed, NATS_URL: 'nats://a:b@127.0.0.1' }, /only one of them may hold a login/],
    ] as const) {
      assert.throws(
        () => connectWith(environment),
        (error: Error) => message.test(error.message) && !error.message.includes(seed.slice(1)),
      )
    }
    const key = '-----BEGIN PRIVATE KEY-----'
    assert.throws(() => connectWith({ NATS_TLS_KEY: key }), /NATS_TLS_CERT and NATS_TLS_KEY must both be set/)
  })
})

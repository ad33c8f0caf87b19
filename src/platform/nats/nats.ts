import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
  nkeys,
} from '@nats-io/transport-node'
import type { Logger } from 'pino'
import { SecretText } from '../crypto/secrets.ts'
import type { Factory } from '../observe/metrics.ts'

const RETRY_MS = 500

/** Connects in the background: the console starts and runs without NATS. */
export class Nats {
  readonly #url: string
  readonly #login: NatsLogin
  readonly #log: Logger
  readonly #closing = new AbortController()
  readonly #connecting: Promise<void>
  #connection: NatsConnection | undefined
  #isUp = false
  #lastFailure = ''

  constructor(url: string, log: Logger, login: NatsLogin = {}) {
    this.#url = url
    this.#login = login
    this.#log = log
    this.#connecting = this.#connect()
  }

  /** Undefined until the first connection is made. The client reconnects by itself after that. */
  connection(): NatsConnection | undefined {
    return this.#connection
  }

  isUp(): boolean {
    return this.#isUp
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#connecting
    this.#isUp = false
    if (this.#connection) await closeNats(this.#connection)
  }

  async #connect(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted && !this.#connection) {
      await this.#connectOnce()
      if (!this.#connection) await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #connectOnce(): Promise<void> {
    try {
      this.#connection = await connect({
        ...parseServers(this.#url),
        ...toConnectionOptions(this.#login),
        name: 'agent-console',
        // Long, because the client leaks the socket of an attempt that times out, even if only this process was busy.
        timeout: 20_000,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RETRY_MS,
        // By default the client stops reconnecting after two refused logins. Credentials may be rotated on one side
        // first.
        ignoreAuthErrorAbort: true,
        // Detects a hanging server in seconds instead of minutes.
        pingInterval: 5_000,
        maxPingOut: 2,
        // Capturing a stack trace for each message takes a seventh of the relay's CPU time.
        noAsyncTraces: true,
      })
      this.#isUp = true
      this.#log.info('connected to NATS')
      void this.#follow(this.#connection)
    } catch (error) {
      this.#logOnce(error as Error)
    }
  }

  async #follow(connected: NatsConnection): Promise<void> {
    for await (const status of connected.status()) {
      if (status.type === 'reconnect') {
        this.#log.info('reconnected to NATS')
        this.#isUp = true
        this.#lastFailure = ''
      }
      // Emitted after each refused attempt too.
      if (status.type === 'disconnect' || status.type === 'staleConnection') {
        if (this.#isUp) this.#log.warn('lost the connection to NATS')
        this.#isUp = false
      }
      if (status.type === 'error') this.#logOnce(status.error)
    }
  }

  #logOnce(error: Error): void {
    if (error.message !== this.#lastFailure)
      this.#log.warn({ err: error }, 'cannot connect to NATS; retrying')
    this.#lastFailure = error.message
  }
}

/** The client does not end an attempt to reconnect that is in progress, and may even begin one: its socket would stay
 * open for ever. No function of its interface does. */
export async function closeNats(connection: NatsConnection): Promise<void> {
  const { protocol } = connection as unknown as { protocol: Protocol }
  const discard = () => protocol.transport.discard()
  const attempts = protocol.connectPromise
  await connection.close()
  discard()
  void attempts?.then(discard, discard)
}

interface Protocol {
  /** Of the last attempt. */
  transport: { discard: () => void }
  /** Settles when an attempt has succeeded, or after the last one. Null while connected. */
  connectPromise: Promise<void> | null
}

/** The client ignores credentials and `tls:` in a URL. The credentials of the first URL are used; a user without a
 * password is a token. */
export function parseServers(url: string): ConnectionOptions {
  const addresses = url.split(',').map((one) => new URL(one.trim()))
  const [first] = addresses
  const [user, pass] = [first?.username ?? '', first?.password ?? ''].map(decodeURIComponent)
  return {
    servers: addresses.map(({ host }) => host),
    ...(user && pass ? { user, pass } : user ? { token: user } : {}),
    ...(addresses.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
  }
}

/** How the console proves who it is, beside the credentials of the address. */
export interface NatsLogin {
  /** The content of a credentials file: a user JWT and the seed of its NKey. */
  readonly credentials?: SecretText | undefined
  /** The seed of an NKey. */
  readonly nkey?: SecretText | undefined
  /** Makes TLS required. In PEM. */
  readonly tls?: NatsTls | undefined
}

interface NatsTls {
  readonly cert?: string | undefined
  readonly key?: SecretText | undefined
  /** The authorities that may have signed the certificate of the server; by default those of Node. */
  readonly ca?: string | undefined
}

export function toConnectionOptions({ credentials, nkey, tls }: NatsLogin): ConnectionOptions {
  const bytes = (secret: SecretText) => new TextEncoder().encode(secret.reveal())
  return {
    ...(credentials ? { authenticator: credsAuthenticator(bytes(credentials)) } : {}),
    ...(nkey ? { authenticator: nkeyAuthenticator(bytes(nkey)) } : {}),
    ...(tls ? { tls: toTlsOptions(tls) } : {}),
  }
}

function toTlsOptions({ cert, key, ca }: NatsTls) {
  return { ...(cert && key ? { cert, key: key.reveal() } : {}), ...(ca ? { ca } : {}) }
}

export function parseNatsCredentials(text: string): SecretText {
  const parts = ['NATS USER JWT', 'USER NKEY SEED']
  if (!parts.every((part) => text.includes(`-----BEGIN ${part}-----`))) {
    throw new Error('must be the content of a credentials file of NATS (.creds)')
  }
  // The client needs a line break after the last line too.
  return new SecretText(`${withLineBreaks(text)}\n`)
}

export function parseNatsSeed(text: string): SecretText {
  if (!isUserSeed(text)) throw new Error('must be the seed of an NKey of a user (SU…)')
  return new SecretText(text)
}

export function parsePem(text: string, what: string): string {
  const lines = withLineBreaks(text)
  if (!new RegExp(`-----BEGIN [A-Z ]*${what}-----`).test(lines)) throw new Error(`must be in PEM (${what})`)
  return lines
}

/** Where a variable cannot hold line breaks, `\n` stands for them. */
function withLineBreaks(text: string): string {
  return text.replaceAll('\\n', '\n').replaceAll('\r\n', '\n')
}

function isUserSeed(text: string): boolean {
  try {
    return nkeys.fromSeed(new TextEncoder().encode(text)).getPublicKey().startsWith('U')
  } catch {
    return false
  }
}

export function observeNats(create: Factory, isUp: () => boolean): void {
  create.observed('console_nats_connected', '1 while the process is connected to NATS', () => Number(isUp()))
}

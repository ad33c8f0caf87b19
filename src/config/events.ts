import { SecretText } from '../platform/crypto/secrets.ts'
import { type NatsLogin, parseNatsCredentials, parseNatsSeed, parsePem } from '../platform/nats/nats.ts'
import type { EventsOptions } from '../platform/nats/stream.ts'
import { parseDatabaseUrl, parseInteger, parseUrl, type Reader } from './reader.ts'

export interface EventsConfig extends Readonly<EventsOptions> {
  /** Must support LISTEN. Undefined if this process does not run a relay. */
  readonly relayDatabaseUrl: string | undefined
}

const DEFAULT_STREAM = 'CONSOLE_AGENTS'

/** Streams must not share subjects: each has those of its name, `CONSOLE_AGENTS` those of `console.agents`. */
const subjectsOf = (stream = DEFAULT_STREAM) => stream.toLowerCase().replaceAll('_', '.')

export function readEvents(reader: Reader, runsRelay: boolean): EventsConfig {
  const { read, isSet } = reader
  const relayDatabase = isSet('RELAY_DATABASE_URL') ? 'RELAY_DATABASE_URL' : 'DATABASE_URL'
  const name = read('NATS_STREAM', parseNatsName, DEFAULT_STREAM)
  return {
    natsUrl: read('NATS_URL', parseNatsUrl),
    natsLogin: readNatsLogin(reader),
    stream: {
      name,
      subjectPrefix: subjectsOf(name),
      replicas: read('NATS_REPLICAS', (text) => parseInteger(text, 1, 5), 1),
      maxAgeHours: 7 * 24,
      maxBytes: read('EVENTS_MAX_BYTES', (text) => parseInteger(text, 1024 * 1024, 2 ** 50), 1024 ** 3),
    },
    relayDatabaseUrl: runsRelay ? read(relayDatabase, parseDatabaseUrl) : undefined,
  }
}

function readNatsLogin({ read, readOptional, isSet, refuse }: Reader): NatsLogin {
  const credentials = readOptional('NATS_CREDENTIALS', parseNatsCredentials)
  const nkey = readOptional('NATS_NKEY', parseNatsSeed)
  const cert = readOptional('NATS_TLS_CERT', (text) => parsePem(text, 'CERTIFICATE'))
  const key = readOptional('NATS_TLS_KEY', (text) => new SecretText(parsePem(text, 'PRIVATE KEY')))
  const ca = readOptional('NATS_TLS_CA', (text) => parsePem(text, 'CERTIFICATE'))
  const hasUser = isSet('NATS_URL') && read('NATS_URL', hasUserInfo)
  if ([credentials, nkey, hasUser || undefined].filter((login) => login !== undefined).length > 1) {
    refuse('NATS_URL, NATS_CREDENTIALS and NATS_NKEY: only one of them may hold a login')
  }
  if ((cert === undefined) !== (key === undefined)) refuse('NATS_TLS_CERT and NATS_TLS_KEY must both be set')
  return { credentials, nkey, tls: cert || key || ca ? { cert, key, ca } : undefined }
}

/** One server, or the servers of a cluster separated by commas. */
function parseNatsUrl(text: string): string {
  for (const one of text.split(',')) parseUrl(one.trim(), ['nats:', 'tls:'])
  return text
}

function parseNatsName(text: string): string {
  if (!/^[a-z\d-]+(?:_[a-z\d-]+)*$/i.test(text) || text.length > 64)
    throw new Error('must be at most 64 letters, digits and -, with single _ between them')
  return text
}

const hasUserInfo = (urls: string) => urls.split(',').some((url) => new URL(url.trim()).username !== '')

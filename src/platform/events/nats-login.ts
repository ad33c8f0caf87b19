import { type ConnectionOptions, credsAuthenticator, nkeyAuthenticator, nkeys } from '@nats-io/transport-node'
import { SecretText } from '../secrets/secret-text.ts'

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

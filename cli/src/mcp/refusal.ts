import { Failure } from '../failure.ts'
import type { Connection } from '../session/connection.ts'
import { loginCommand } from '../session/login-command.ts'
import { asObject, parse } from './message.ts'
import type { Posted } from './post.ts'

/** The console, or a proxy in front of it, answered with something else than a message of the protocol. */
export class Refusal extends Failure {
  override name = 'Refusal'
  /** What a program reads. */
  readonly data: { status: number; code?: string; request_id: string }

  constructor(posted: Posted, connection: Connection) {
    const { status, requestId } = posted
    const { code, detail } = asObject(parse(posted.text))
    const sentences = [
      typeof detail === 'string' ? detail : `The console answered with status ${status}.`,
      hintFor(posted, connection),
    ]
    super(sentences.filter(Boolean).join(' '))
    this.data = { status, ...(typeof code === 'string' && { code }), request_id: requestId }
  }
}

const RENEWAL: Record<Connection['source'], (login: string) => string> = {
  AGENT_CONSOLE_TOKEN: () => 'Put a valid token into AGENT_CONSOLE_TOKEN and start agent-console mcp again.',
  AGENT_CONSOLE_CLIENT_ID: () => 'Check the client that AGENT_CONSOLE_CLIENT_ID names.',
  login: (login) => `Run: ${login}`,
}

/** What the user can do. */
function hintFor({ status, headers }: Posted, { source, profile, storage }: Connection): string {
  const login = loginCommand(profile, storage)
  if (status === 401) return `The console does not accept the token. ${RENEWAL[source](login)}`
  const scope = /scope="([^"]*)"/.exec(headers.get('www-authenticate') ?? '')?.[1]
  if (status !== 403 || scope === undefined) return ''
  return source === 'login' ? `Log in with these scopes: ${scope}.` : `The token needs the scopes ${scope}.`
}

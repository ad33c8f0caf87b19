import { randomUUID } from 'node:crypto'
import { PERMISSIONS } from '../../src/api/caller.ts'
import type { Person, TestConsole } from './console.ts'

interface NamedPersonOptions {
  name: string
  user?: string
  team?: string
  scope?: string
  client?: string
}

/** A person whose token has a display name, with all permissions unless told otherwise. */
export async function namedPerson(
  { issuer }: TestConsole,
  { name, user = randomUUID(), team = randomUUID(), scope, client = 'web' }: NamedPersonOptions,
): Promise<Person> {
  const exp = Math.floor(Date.now() / 1_000) + 600
  const token = await issuer.sign({
    ...{ iss: issuer.url, aud: issuer.audience, exp, sub: user, team_id: team },
    ...{ name, azp: client, scope: scope ?? PERMISSIONS.join(' ') },
  })
  return { user, team, token }
}

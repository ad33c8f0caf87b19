import type { Configuration } from 'oidc-provider'
import { PERMISSIONS } from '../../../src/api/caller.ts'
import type { DemoPerson } from '../people.ts'

const IDENTITY_SCOPES = 'openid profile email offline_access'

/** Consents in place of the person: what they may do is granted, and the rest is rejected, so that the provider never
 * asks for it again. A permission is a scope of OpenID Connect as well as of the API, so both are granted. */
export function createLoadGrant(
  findPerson: (user: string) => DemoPerson | undefined,
  resources: () => readonly string[],
): NonNullable<Configuration['loadExistingGrant']> {
  return async ({ oidc: { client, session, provider } }) => {
    const person = findPerson(session?.accountId ?? '')
    if (!client || !session || !person) return undefined
    const known = session.grantIdFor(client.clientId)
    const existing = known ? await provider.Grant.find(known) : undefined
    if (existing?.accountId === person.user) return existing

    const granted = person.permissions.join(' ')
    const rejected = PERMISSIONS.filter((permission) => !person.permissions.includes(permission)).join(' ')
    const grant = new provider.Grant({ clientId: client.clientId, accountId: person.user })
    grant.addOIDCScope(`${IDENTITY_SCOPES} ${granted}`)
    grant.rejectOIDCScope(rejected)
    for (const resource of resources()) {
      grant.addResourceScope(resource, granted)
      grant.rejectResourceScope(resource, rejected)
    }
    await grant.save()
    return grant
  }
}

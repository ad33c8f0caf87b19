import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type JWTPayload, SignJWT } from 'jose'
import { createSigningKey } from '../../../dev/issuer/keys.ts'
import { readAuthConfig } from '../../../src/config/auth.ts'
import { createTokenReader } from '../../../src/http/auth/verified-token.ts'
import { startConsole } from '../../support/console.ts'
import { standIn } from '../../support/identity-watch.ts'

/** What docs/identity-providers.md says about a provider. */
interface Recipe {
  name: string
  variables: Record<string, string>
  tokens: Example[]
}
interface Example {
  token: { header: { alg: string; kid: string; typ?: string }; payload: JWTPayload & { iat: number } }
  headers: Record<string, string>
  /** The body of GET /v1/me. */
  me: object
}

const TEXT = readFileSync(join(import.meta.dirname, '../../../docs/identity-providers.md'), 'utf8')
const recipes = TEXT.split(/^## /m)
  .filter((section) => /^AUTH_ISSUER=/m.test(section))
  .map(readRecipe)

function readRecipe(section: string): Recipe {
  const [, shell = ''] = /^```sh\n([^]+?)^```/m.exec(section) ?? []
  const variables = [...shell.matchAll(/^(\w+)=(?:'(.*)'|(.*))$/gm)].map(([, name, quoted, plain]) => [
    name,
    quoted ?? plain,
  ])
  const blocks = [...section.matchAll(/^```json\n([^]+?)^```/gm)].map(([, json = '']) => JSON.parse(json))
  const requests = [
    ...section.matchAll(/^`GET \/v1\/me`(?: with the header `console-team: (.+)`)? returns:$/gm),
  ]
  assert.equal(blocks.length, 2 * requests.length, section)
  return {
    name: section.split('\n', 1)[0] as string,
    variables: Object.fromEntries(variables),
    tokens: requests.map(([, team], i) => ({
      token: blocks[2 * i],
      headers: team === undefined ? {} : { 'console-team': team },
      me: blocks[2 * i + 1],
    })),
  }
}

it('docs/identity-providers.md has a recipe for each of the common providers', () => {
  const names = recipes.map(({ name }) => name)
  assert.deepEqual(names, ['Keycloak', 'Auth0', 'Okta', 'Microsoft Entra ID', 'Google', 'Dex'])
  const withMachine = recipes.filter(({ tokens }) => tokens.length === 2).map(({ name }) => name)
  assert.deepEqual(withMachine, ['Keycloak', 'Auth0', 'Okta', 'Microsoft Entra ID'])
})

for (const { name, variables, tokens } of recipes) {
  describe(`a token of ${name}`, async () => {
    const [first] = tokens as [Example]
    // A minute after the tokens of the page were issued.
    const now = () => (first.token.payload.iat + 60) * 1_000
    const key = await createSigningKey('RS256')
    const published = { ...key.publicJwk, kid: first.token.header.kid }
    const keys = await standIn({ after }, (_, response) =>
      response.end(JSON.stringify({ keys: [published] })),
    )
    // The keys of the provider are not ours to sign with: this is the one variable that is not on the page.
    const environment = { ...variables, AUTH_JWKS_URL: keys.url }
    const running = await startConsole({ environment, overrides: { now } })
    after(() => running.close())
    const sign = ({ header, payload }: Example['token'], changes: object = {}) =>
      new SignJWT({ ...payload, ...changes }).setProtectedHeader(header).sign(key.privateKey)

    it('is accepted with exactly the documented variables, and read as documented', async () => {
      for (const { token, headers, me } of tokens) {
        const reply = await running.request('GET', '/v1/me', { token: await sign(token), headers })
        assert.deepEqual([reply.status, reply.body], [200, me])
      }
    })

    it('is refused with another audience or issuer, or too late', async () => {
      const changes = [
        { aud: 'another' },
        { iss: 'https://another.example.com' },
        { exp: now() / 1_000 - 31 },
      ]
      for (const change of changes) {
        const token = await sign(first.token, change)
        assert.equal((await running.request('GET', '/v1/me', { token })).status, 401)
      }
    })

    it('needs every documented variable', () => {
      const read = (given: Record<string, string>) => {
        const reader = createTokenReader(readAuthConfig(given))
        return tokens.map(({ token }) => reader(token.payload))
      }
      const optional = Object.keys(variables).filter(
        (each) => !['AUTH_ISSUER', 'AUTH_AUDIENCE'].includes(each),
      )
      for (const each of optional) {
        const { [each]: _, ...others } = variables
        assert.notDeepEqual(read(others), read(variables), each)
      }
    })
  })
}

import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { cliClientId, webClientId } from '../../dev/issuer/client.ts'
import type { DemoPerson } from '../../dev/issuer/people.ts'
import { PERMISSIONS } from '../../src/api/caller.ts'
import { type Issuer, type IssuerOptions, startIssuer } from '../support/issuer/issuer.ts'
import { createUserAgent, type UserAgent } from '../support/user-agent.ts'

const CONSOLE = 'http://127.0.0.1:9'
const CALLBACK = `${CONSOLE}/console/auth/callback`
const SCOPE = `openid profile email ${PERMISSIONS.join(' ')}`

interface Tokens {
  access_token: string
  id_token: string
  refresh_token: string
  scope: string
  expires_in: number
  error?: string
}

async function start(t: TestContext, options: IssuerOptions = {}): Promise<Issuer> {
  const issuer = await startIssuer({ consoleUrls: [CONSOLE], ...options })
  t.after(() => issuer.close())
  return issuer
}

/** One request of the console to sign in. */
function createRequest({ url }: Issuer, parameters: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString('base64url')
  const all = {
    ...{ client_id: webClientId, response_type: 'code', scope: SCOPE, redirect_uri: CALLBACK, state: 'kept' },
    ...{ code_challenge: hash('sha256', verifier, 'base64url'), code_challenge_method: 'S256' },
    ...parameters,
  }
  return { verifier, url: `${url}/auth?${new URLSearchParams(all).toString()}` }
}

const pick = (userAgent: UserAgent, page: string, person: DemoPerson['key']) =>
  userAgent.visit(page, { method: 'POST', body: new URLSearchParams({ person }) })

async function askForTokens(
  { url }: Issuer,
  form: Record<string, string>,
  headers: Record<string, string> = { origin: CONSOLE },
) {
  const response = await fetch(`${url}/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ client_id: webClientId, ...form }),
  })
  return { response, tokens: (await response.json()) as Tokens }
}

/** The code of a redirect to the console. */
function codeOf(url: string): string {
  const { searchParams, origin, pathname } = new URL(url)
  assert.equal(`${origin}${pathname}`, CALLBACK, url)
  assert.equal(searchParams.get('state'), 'kept')
  return searchParams.get('code') ?? assert.fail(url)
}

async function signIn(issuer: Issuer, person: DemoPerson['key'], userAgent = createUserAgent()) {
  const request = createRequest(issuer)
  const page = await userAgent.visit(request.url)
  const { url } = await pick(userAgent, page.url, person)
  const form = { grant_type: 'authorization_code', code: codeOf(url), redirect_uri: CALLBACK }
  const { response, tokens } = await askForTokens(issuer, { ...form, code_verifier: request.verifier })
  assert.equal(response.status, 200, JSON.stringify(tokens))
  return { tokens, form, verifier: request.verifier }
}

const refresh = (issuer: Issuer, refreshToken: string) =>
  askForTokens(issuer, { grant_type: 'refresh_token', refresh_token: refreshToken })

const personOf = ({ people }: Issuer, key: DemoPerson['key']) =>
  people.find((person) => person.key === key) ?? assert.fail(key)

test('one click on a person signs in, with a token for the API and an ID token with name and email', async (t) => {
  const issuer = await start(t, { personTokenSeconds: 45 })
  const person = personOf(issuer, 'administrator')
  const { tokens } = await signIn(issuer, 'administrator')

  const keys = createRemoteJWKSet(new URL(`${issuer.url}/jwks`))
  const { payload } = await jwtVerify(tokens.access_token, keys, {
    issuer: issuer.url,
    audience: issuer.audience,
    typ: 'at+jwt',
  })
  assert.equal(payload.sub, person.user)
  assert.equal(payload['team_id'], person.team)
  assert.equal(payload['name'], person.name)
  assert.equal(payload['client_id'], webClientId)
  assert.equal(payload['scope'], PERMISSIONS.join(' '))
  assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 45)
  const { payload: identity } = await jwtVerify(tokens.id_token, keys, { audience: webClientId })
  assert.equal(identity.sub, person.user)
  assert.equal(identity['name'], person.name)
  assert.equal(identity['email'], person.email)
})

test('the page offers the four people, without scripts and without anything from another server', async (t) => {
  const issuer = await start(t)
  const { response } = await createUserAgent().visit(createRequest(issuer).url)
  const html = await response.text()
  assert.equal(response.status, 200)
  for (const { key, name } of issuer.people) assert.ok(html.includes(`value="${key}"`) && html.includes(name))
  assert.equal(issuer.people.length, 4)
  assert.doesNotMatch(html, /<script|https?:|@import|url\(/)
  const policy = response.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.equal(response.headers.get('cache-control'), 'no-store')
})

test('a viewer who is asked for more gets the permissions of a viewer, and no further question', async (t) => {
  const issuer = await start(t)
  const { tokens } = await signIn(issuer, 'viewer')
  const viewer = ['agent:read', 'audit:read', 'service:read']
  const { scope, team_id: team } = decodeJwt(tokens.access_token)
  assert.deepEqual(String(scope).split(' '), viewer)
  assert.equal(team, personOf(issuer, 'administrator').team)
})

test('the others are in another team and in no team', async (t) => {
  const issuer = await start(t)
  const outsider = decodeJwt((await signIn(issuer, 'outsider')).tokens.access_token)
  assert.equal(outsider['team_id'], personOf(issuer, 'outsider').team)
  assert.notEqual(outsider['team_id'], personOf(issuer, 'administrator').team)
  const newcomer = decodeJwt((await signIn(issuer, 'newcomer')).tokens.access_token)
  assert.ok(!('team_id' in newcomer))
  assert.equal(newcomer.sub, personOf(issuer, 'newcomer').user)
})

test('a code needs its verifier, and works once', async (t) => {
  const issuer = await start(t)
  const userAgent = createUserAgent()
  const { form, verifier } = await signIn(issuer, 'viewer', userAgent)
  const again = await askForTokens(issuer, { ...form, code_verifier: verifier })
  assert.deepEqual([again.response.status, again.tokens.error], [400, 'invalid_grant'])

  const other = createRequest(issuer)
  const { url } = await userAgent.visit(other.url)
  const wrong = await askForTokens(issuer, { ...form, code: codeOf(url), code_verifier: verifier })
  assert.deepEqual([wrong.response.status, wrong.tokens.error], [400, 'invalid_grant'])
})

test('a request without PKCE, with a plain challenge or with another redirect URI is refused', async (t) => {
  const issuer = await start(t)
  const errorOf = async (parameters: Record<string, string>) => {
    const { url } = await createUserAgent().visit(createRequest(issuer, parameters).url)
    return new URL(url).searchParams.get('error')
  }
  assert.equal(await errorOf({ code_challenge: '', code_challenge_method: '' }), 'invalid_request')
  assert.equal(await errorOf({ code_challenge_method: 'plain' }), 'invalid_request')

  const elsewhere = createRequest(issuer, { redirect_uri: 'http://127.0.0.1:10/console/auth/callback' })
  const { response } = await createUserAgent().visit(elsewhere.url)
  assert.equal(response.status, 400)
  assert.match(await response.text(), /redirect_uri/)
})

test('a refresh token is replaced by each use, and its second use ends the grant', async (t) => {
  const issuer = await start(t)
  const { tokens: first } = await signIn(issuer, 'viewer')
  const { tokens: second } = await refresh(issuer, first.refresh_token)
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.equal(decodeJwt(second.access_token)['scope'], decodeJwt(first.access_token)['scope'])

  const { tokens: third } = await refresh(issuer, second.refresh_token)
  assert.ok(third.refresh_token)
  assert.equal((await refresh(issuer, first.refresh_token)).tokens.error, 'invalid_grant')
  assert.equal((await refresh(issuer, third.refresh_token)).tokens.error, 'invalid_grant')
})

test('a session is remembered, also by prompt=none and after a rotation of the keys', async (t) => {
  const issuer = await start(t)
  const userAgent = createUserAgent()
  const quiet = () => userAgent.visit(createRequest(issuer, { prompt: 'none' }).url)
  assert.equal(new URL((await quiet()).url).searchParams.get('error'), 'login_required')
  await signIn(issuer, 'viewer', userAgent)
  assert.ok(codeOf((await quiet()).url))
  await issuer.rotateKey()
  assert.ok(codeOf((await userAgent.visit(createRequest(issuer).url)).url))
})

test('signing out leads back to the console, and ends the session and its refresh tokens', async (t) => {
  const issuer = await start(t)
  const userAgent = createUserAgent()
  const { tokens } = await signIn(issuer, 'administrator', userAgent)
  const leave = new URLSearchParams({
    id_token_hint: tokens.id_token,
    post_logout_redirect_uri: `${CONSOLE}/console/signed-out`,
  })
  const page = await userAgent.visit(`${issuer.url}/session/end?${leave.toString()}`)
  const html = await page.response.text()
  assert.match(html, /<button class="primary">Sign out<\/button>/)
  const inputs = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const { url } = await userAgent.visit(/action="([^"]+)"/.exec(html)?.[1] ?? '', {
    method: 'POST',
    body: new URLSearchParams(Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value]))),
  })
  assert.equal(url, `${CONSOLE}/console/signed-out`)

  const { url: after } = await userAgent.visit(createRequest(issuer, { prompt: 'none' }).url)
  assert.equal(new URL(after).searchParams.get('error'), 'login_required')
  assert.equal((await refresh(issuer, tokens.refresh_token)).tokens.error, 'invalid_grant')
})

test('only the page of the console may read tokens from another origin', async (t) => {
  const issuer = await start(t)
  const { tokens } = await signIn(issuer, 'viewer')
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  const foreign = await askForTokens(issuer, form, { origin: 'http://evil.example' })
  assert.equal(foreign.response.status, 400)
  assert.equal(foreign.response.headers.get('access-control-allow-origin'), null)
  const own = await askForTokens(issuer, form)
  assert.equal(own.response.status, 200)
  assert.equal(own.response.headers.get('access-control-allow-origin'), CONSOLE)
})

test('the browser client exists once a console is registered', async (t) => {
  const issuer = await start(t, { consoleUrls: [] })
  const { response } = await createUserAgent().visit(createRequest(issuer).url)
  assert.equal(response.status, 400)
  issuer.registerConsole(`${CONSOLE}/`)
  const page = await createUserAgent().visit(createRequest(issuer).url)
  assert.equal(page.response.status, 200)
})

test('an unknown or ended interaction shows a page that says so', async (t) => {
  const issuer = await start(t)
  const { response } = await createUserAgent().visit(`${issuer.url}/interaction/unknown`)
  assert.equal(response.status, 400)
  assert.match(await response.text(), /This sign-in has expired/)
})

test('a program on the machine signs in on a port of its own choice', async (t) => {
  const issuer = await start(t)
  const userAgent = createUserAgent()
  const redirectUri = 'http://127.0.0.1:19321/callback'
  const request = createRequest(issuer, { client_id: cliClientId, redirect_uri: redirectUri })
  const page = await userAgent.visit(request.url)
  const { url } = await pick(userAgent, page.url, 'administrator')
  assert.ok(url.startsWith(`${redirectUri}?`), url)
  const { response, tokens } = await askForTokens(
    issuer,
    {
      ...{ client_id: cliClientId, grant_type: 'authorization_code', redirect_uri: redirectUri },
      ...{ code: new URL(url).searchParams.get('code') ?? '', code_verifier: request.verifier },
    },
    {},
  )
  assert.equal(response.status, 200, JSON.stringify(tokens))
  assert.equal(decodeJwt(tokens.access_token)['client_id'], cliClientId)
})

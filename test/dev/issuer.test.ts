import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { clientSecret } from '../../dev/issuer/client.ts'
import { PERMISSIONS } from '../../src/api/caller.ts'
import { exchangeClientId } from '../support/issuer/exchange.ts'
import { type Issuer, type IssuerOptions, startIssuer } from '../support/issuer/issuer.ts'

const user = randomUUID()
const team = randomUUID()

async function start(t: TestContext, options?: IssuerOptions): Promise<Issuer> {
  const issuer = await startIssuer(options)
  t.after(() => issuer.close())
  return issuer
}

async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url)
  assert.equal(response.status, 200)
  return response.json()
}

async function jwksUri(issuerUrl: string): Promise<string> {
  const found = await fetchJson(`${issuerUrl}/.well-known/openid-configuration`)
  assert.ok(typeof found === 'object' && found && 'issuer' in found && 'jwks_uri' in found)
  assert.equal(found.issuer, issuerUrl)
  assert.ok(typeof found.jwks_uri === 'string')
  return found.jwks_uri
}

/** As a fresh client would: nothing is remembered from one call to the next. */
async function verify({ url, audience }: Issuer, token: string) {
  const keys = createRemoteJWKSet(new URL(await jwksUri(url)))
  return jwtVerify(token, keys, { issuer: url, audience, typ: 'at+jwt' })
}

const unknownKey = { code: 'ERR_JWKS_NO_MATCHING_KEY' }

test('a granted token verifies against the discovered JWKS and carries every claim', async (t) => {
  const issuer = await start(t, { audience: 'console-under-test', tokenLifetimeSeconds: 120 })

  const { payload, protectedHeader } = await verify(issuer, await issuer.token({ user, team }))

  assert.equal(payload.sub, user)
  assert.equal(payload['team_id'], team)
  assert.equal(payload['scope'], PERMISSIONS.join(' '))
  assert.equal(payload.aud, 'console-under-test')
  assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 120)
  assert.equal(protectedHeader.alg, 'ES256')
  assert.equal(protectedHeader.kid, issuer.signingKey().kid)
})

test('permissions are granted as asked, and nothing that is not a permission', async (t) => {
  const issuer = await start(t)
  const granted = async (scope: string) => decodeJwt(await issuer.token({ user, team, scope }))['scope']

  assert.equal(await granted('audit:read agent:read'), 'audit:read agent:read')
  assert.equal(await granted('agent:read admin:everything'), 'agent:read')
  assert.equal(await granted(''), undefined)
})

test('only a pair of UUIDs with the development secret, asking for the API, gets a token', async (t) => {
  const issuer = await start(t)
  const ask = async (client: string, secret: string, resource?: string) => {
    const response = await fetch(`${issuer.url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...(resource && { resource }) }),
    })
    return response.status
  }

  assert.equal(await ask(`${user}.${team}`, 'development'), 200)
  assert.equal(await ask(`${user}.${team}`, 'wrong'), 401)
  assert.equal(await ask(user, 'development'), 401)
  assert.equal(await ask(`${user}.${team}`, 'development', 'urn:another:api'), 400)
  await assert.rejects(issuer.token({ user: 'nobody', team }), /401 .*invalid_client/)
})

test('the JWKS publishes no private part of a key', async (t) => {
  const issuer = await start(t)

  const published = await fetchJson(await jwksUri(issuer.url))

  assert.deepEqual(published, { keys: [issuer.signingKey().publicJwk] })
  assert.ok(!('d' in issuer.signingKey().publicJwk))
})

test('after a rotation that keeps the old keys, old and new tokens verify', async (t) => {
  const issuer = await start(t)
  const tokens = [await issuer.token({ user, team })]
  for (let rotation = 0; rotation < 2; rotation += 1) {
    await issuer.rotateKey({ keepOld: true })
    tokens.push(await issuer.token({ user, team }))
  }

  const kids = tokens.map((token) => decodeProtectedHeader(token).kid)
  assert.equal(new Set(kids).size, 3)
  assert.equal(kids.at(-1), issuer.signingKey().kid)
  for (const token of tokens) await verify(issuer, token)
})

test('after a rotation that drops the old keys, only new tokens verify', async (t) => {
  const issuer = await start(t)
  const { url } = issuer
  const oldToken = await issuer.token({ user, team })
  await issuer.rotateKey({ keepOld: false })

  await assert.rejects(verify(issuer, oldToken), unknownKey)
  await verify(issuer, await issuer.token({ user, team }))
  assert.equal(issuer.url, url)
})

test('an issuer may sign with RS256, and a rotation may change the algorithm', async (t) => {
  const issuer = await start(t, { alg: 'RS256' })
  const rsa = await issuer.token({ user, team })
  assert.equal((await verify(issuer, rsa)).protectedHeader.alg, 'RS256')

  await issuer.rotateKey({ alg: 'ES256' })

  assert.equal((await verify(issuer, await issuer.token({ user, team }))).protectedHeader.alg, 'ES256')
  await verify(issuer, rsa)
})

test('sign adds nothing to the claims, and its header can be overridden', async (t) => {
  const issuer = await start(t)
  const claims = { iss: issuer.url, aud: issuer.audience, sub: 'not-a-uuid', permissions: ['agent:read'] }

  assert.deepEqual((await verify(issuer, await issuer.sign(claims))).payload, claims)
  await assert.rejects(verify(issuer, await issuer.sign(claims, { kid: 'unheard-of' })), unknownKey)
  assert.ok(!('kid' in decodeProtectedHeader(await issuer.sign(claims, { kid: undefined }))))
})

test('a stopped issuer refuses connections, and resumes at the same address with the same key', async (t) => {
  const issuer = await start(t)
  const token = await issuer.token({ user, team })

  for (let outage = 0; outage < 3; outage += 1) {
    await issuer.stop()
    await assert.rejects(issuer.token({ user, team }), /fetch failed/)
    await assert.rejects(verify(issuer, token), /fetch failed/)
    await issuer.resume()
    await verify(issuer, token)
    await verify(issuer, await issuer.token({ user, team }))
  }
})

test('every JWKS fetch is counted, across a rotation too, and nothing else is', async (t) => {
  const issuer = await start(t)
  const uri = await jwksUri(issuer.url)
  await issuer.token({ user, team })
  assert.equal(issuer.jwksRequests(), 0)

  await fetchJson(uri)
  await issuer.rotateKey()
  await fetchJson(uri)

  assert.equal(issuer.jwksRequests(), 2)
})

test('a taken or impossible port is an error, and a free one lies below the ephemeral range', async (t) => {
  const issuer = await start(t)
  const port = Number(new URL(issuer.url).port)

  assert.ok(port >= 20_000 && port < 32_768)
  await assert.rejects(startIssuer({ port }), { code: 'EADDRINUSE' })
  await assert.rejects(startIssuer({ port: Number.NaN }), { code: 'ERR_SOCKET_BAD_PORT' })
})

// oidc-provider says so when imported by a Node that is not yet LTS, and cannot be told not to.
const unexpected = (line: string) => line && !line.includes('Unsupported runtime')

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`the process prints one line, serves, and ends on ${signal}`, async (t) => {
    const child = spawn(process.execPath, ['dev/issuer/main.ts'], {
      cwd: new URL('../..', import.meta.url),
      env: { ...process.env, ISSUER_PORT: '', ISSUER_AUDIENCE: 'standalone' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => child.kill('SIGKILL'))
    const exited = once(child, 'exit')
    const stderr = text(child.stderr)
    const lines: string[] = []
    const output = createInterface(child.stdout).on('line', (line) => lines.push(line))
    await once(output, 'line')

    const url = /http:\S+/.exec(lines[0] ?? '')?.[0]
    assert.ok(url)
    await fetchJson(await jwksUri(url))
    child.kill(signal)

    assert.deepEqual(await exited, [0, null])
    assert.deepEqual((await stderr).split('\n').filter(unexpected), [])
    assert.deepEqual(lines, [`issuer listening on ${url} for the audience standalone`])
  })
}

test('an issuer without grants signs tokens of the same form, and publishes the keys to check them', async (t) => {
  const describeToken = async (issuer: Issuer) => {
    const token = await issuer.token({ user, team, scope: 'agent:read' })
    const { payload, protectedHeader } = await verify(issuer, token)
    const { iss: _iss, jti: _jti, iat = 0, exp = 0, ...claims } = payload
    const { kid: _kid, ...header } = protectedHeader
    return { claims, header, lifetime: exp - iat, names: Object.keys(payload).toSorted() }
  }
  assert.deepEqual(
    await describeToken(await start(t, { grants: false })),
    await describeToken(await start(t)),
  )
})

test('the console exchanges a token for one of the same user with another audience, and nothing else', async (t) => {
  const issuer = await start(t)
  const exchange = async (form: Record<string, string>, client = exchangeClientId) => {
    const response = await fetch(`${issuer.url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${client}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        ...form,
      }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }
  const subject_token = await issuer.token({ user, team, scope: 'agent:read' })
  const { body } = await exchange({ subject_token, audience: 'teams' })
  const { payload } = await verify({ ...issuer, audience: 'teams' }, body['access_token'] ?? '')
  const { sub, team_id, scope } = payload
  assert.deepEqual({ sub, team_id, scope }, { sub: user, team_id: team, scope: 'agent:read' })

  const other = await startIssuer()
  t.after(() => other.close())
  const refused: [Record<string, string>, client?: string][] = [
    [{ subject_token }],
    [{ subject_token, audience: issuer.audience }],
    [{ subject_token: body['access_token'] ?? '', audience: 'teams' }],
    [{ subject_token: await other.token({ user, team }), audience: 'teams' }],
    [{ subject_token, audience: 'teams' }, `${user}.${team}`],
  ]
  for (const [form, client] of refused) assert.equal((await exchange(form, client)).status, 400)
})

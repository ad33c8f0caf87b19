import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { startIssuer } from '../support/issuer/issuer.ts'
import { startRevocations } from '../support/revocation-list.ts'

const USER = '5b1f7c1e-0d4a-4f0e-9a55-7f3f1f0f2c11'

describe('npm run identity:check', async () => {
  const issuer = await startIssuer({ grants: false })
  closeAfter(() => issuer.close())
  const now = Math.floor(Date.now() / 1_000)
  const good = {
    ...{
      iss: issuer.url,
      aud: issuer.audience,
      sub: USER,
      iat: now,
      exp: now + 3_600,
      jti: 'one',
      azp: 'web',
    },
    ...{ team_id: ['research'], name: 'Ann \u001b[31m', scope: 'openid agent:read', permissions: ['editor'] },
  }
  const environment = {
    AUTH_ISSUER: issuer.url,
    AUTH_AUDIENCE: issuer.audience,
    AUTH_ROLES: '{"editor": ["agent:write"]}',
  }

  /** Runs it with the token as an argument, or on standard input. */
  const check = async (token: string, { variables = {}, from = 'argument' } = {}) => {
    const args = from === 'argument' ? [token] : []
    const child = spawn(process.execPath, ['scripts/identity-check.ts', ...args], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...environment,
        ...variables,
      },
      cwd: `${import.meta.dirname}/../..`,
    })
    child.stdin.end(from === 'argument' ? '' : `Bearer ${token}\n`)
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
    for (const part of token.split('.'))
      assert.ok(part === '' || !output.includes(part), 'it prints the token')
    return { code: child.exitCode, output, errors }
  }
  /** The sentences after the title. */
  const refusals = (output: string) => {
    const [, list = ''] = output.split('The console would refuse this token:\n')
    return list.split('\n').flatMap((line) => (line.startsWith('  - ') ? line.slice(4) : []))
  }

  it('explains what the console reads from an accepted token', async () => {
    const token = await issuer.sign(good)
    const { code, output } = await check(token)
    assert.equal(code, 0, output)
    for (const line of [
      `issuer      "${issuer.url}"`,
      'audience    "agent-console"',
      `expires at  ${new Date((now + 3_600) * 1_000).toISOString()}`,
      'type        "at+jwt"',
      `user        ${USER}, from the claim sub`,
      'name        "Ann  [31m", from the claim name',
      'client      "web"',
      'permission  agent:read, from the claim scope',
      'permission  agent:write, from the role "editor" in the claim permissions',
      'ignored     "openid": neither a permission nor a role of AUTH_ROLES',
      'The console would accept this token.',
    ]) {
      assert.ok(output.includes(`${line}\n`), `${line}\nis missing in\n${output}`)
    }
    assert.match(output, /^team {8}[\da-f-]{36}, derived from "research", from the claim team_id$/m)
    assert.ok(!output.includes('\u001b'))
    assert.deepEqual(await check(token, { from: 'input' }), { code, output, errors: '' })
  })

  it('prints nothing that a terminal obeys, and no more than the beginning of a long text', async () => {
    const hostile = 'x\u009b31m\u202e\u2028\u0085'
    const { code, output } = await check(
      await issuer.sign({
        ...{ ...good, sub: hostile, aud: [issuer.audience, 'y'.repeat(5_000)] },
        ...{ team_id: [hostile, 'b'], scope: hostile, azp: hostile, jti: hostile },
      }),
    )
    assert.equal(code, 0, output)
    assert.match(output, /derived from "x\\u009b31m\\u202e\\u2028\\u0085"/)
    assert.doesNotMatch(output.replaceAll('\n', ''), /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
    assert.ok(output.length < 3_000, `${output.length} characters`)
  })

  it('names each reason why the console would refuse a token', async () => {
    const { kid } = issuer.signingKey()
    const claims = {
      ...good,
      iss: 'https://other.test',
      aud: ['a'],
      exp: now - 60,
      nbf: now + 60,
      cnf: {},
      sub: 7,
    }
    const token = await issuer.sign({ ...claims, iat: now - 90_000, team_id: {} } as never, {
      typ: 'logout+jwt',
    })
    const { code, output } = await check(`${token.slice(0, -8)}AAAAAAAA`)
    assert.equal(code, 1)
    assert.match(output, new RegExp(`^signature {3}"ES256" with the key "${kid}"$`, 'm'))
    assert.deepEqual(refusals(output).toSorted(), [
      `The claim aud is ["a"], but AUTH_AUDIENCE is "agent-console".`,
      `The claim exp is ${now - 60}, but it must be a time in the future.`,
      `The claim iss is "https://other.test", but AUTH_ISSUER is "${issuer.url}".`,
      `The claim nbf is ${now + 60}, but it must be a time in the past.`,
      'The signature does not match the key.',
      'The token has no team: the claim team_id (AUTH_CLAIM_TEAM) is no text and no list of texts.',
      'The token has no user: the claim sub (AUTH_CLAIM_USER) is not a text.',
      'The token is bound to a key (claim cnf), which the console does not check.',
      'The token is valid for longer than 86400 seconds.',
      "The token's type is not accepted: typ must be JWT, at+jwt or absent.",
    ])
  })

  it('explains a key or an algorithm that is not accepted, and a text that is no JWT', async () => {
    assert.deepEqual(refusals((await check(await issuer.sign(good, { kid: 'other' }))).output), [
      'The issuer publishes no key with this id and algorithm.',
    ])
    const [, payload] = (await issuer.sign(good)).split('.')
    const header = Buffer.from('{"alg":"none"}').toString('base64url')
    const none = await check(`${header}.${payload}.`)
    assert.equal(none.code, 1)
    assert.match(refusals(none.output).join(), /^The algorithm must be one of RS256, /)
    const opaque = await check('ya29.a0AfH6SMBx')
    assert.equal(opaque.code, 1)
    assert.match(refusals(opaque.output).join(), /^The token is not a JWT\. Opaque tokens/)
    const missing = await check('', { from: 'input' })
    assert.deepEqual(refusals(missing.output), [
      'There is no token. Pass it on standard input or as an argument.',
    ])
  })

  it('names the address that returns something else than keys or a list', async () => {
    const page = await startRevocations({ after })
    page.publish('<html>')
    const variables = { AUTH_JWKS_URL: page.url, AUTH_REVOCATIONS_URL: page.url }
    const { code, output } = await check(await issuer.sign(good), { variables })
    assert.equal(code, 2)
    for (const what of ['keys of the issuer', 'list of revoked tokens']) {
      assert.match(output, new RegExp(`The ${what} could not be loaded.*: ${page.url} returned a text that`))
    }
  })

  it('checks the rest if the keys cannot be loaded', async () => {
    const gone = await startRevocations({ after })
    await gone.stop()
    const variables = { AUTH_JWKS_URL: gone.url, AUTH_REVOCATIONS_URL: gone.url }
    const rest = await check(await issuer.sign(good), { variables })
    assert.equal(rest.code, 2)
    assert.match(rest.output, /The list of revoked tokens could not be loaded: .*ECONNREFUSED/)
    assert.match(rest.output, /The console would accept this token otherwise\.\n$/)
    const { code, output } = await check(await issuer.sign({ ...good, aud: 'other' }), { variables })
    assert.equal(code, 1)
    assert.match(
      output,
      /The keys of the issuer could not be loaded, so the signature was not checked: .*ECONNREFUSED/,
    )
    assert.deepEqual(refusals(output), ['The claim aud is "other", but AUTH_AUDIENCE is "agent-console".'])
  })

  it('notes what does not work with an accepted token', async () => {
    const token = await issuer.sign({ ...good, team_id: ['a', 'b'], scope: 'openid', permissions: [] })
    const { code, output } = await check(token)
    assert.equal(code, 0)
    assert.match(output, /each request must name one in the header console-team/)
    assert.match(
      output,
      /The token grants no permission: the claims scope \(AUTH_CLAIM_SCOPE\) and permissions /,
    )
  })

  it('reads the list of revocations', async () => {
    const list = await startRevocations({ after })
    list.publish({ tokens: ['one'] })
    const { code, output } = await check(await issuer.sign(good), {
      variables: { AUTH_REVOCATIONS_URL: list.url },
    })
    assert.equal(code, 1)
    assert.deepEqual(refusals(output), ['The token has been revoked. Get a new one from the issuer.'])
  })

  it('lists every error of the variables', async () => {
    const { code, errors } = await check('x', { variables: { AUTH_ISSUER: '', AUTH_ROLES: '[]' } })
    assert.equal(code, 1)
    assert.match(
      errors,
      /^The configuration has 2 errors:\n {2}- AUTH_ISSUER is missing\n {2}- AUTH_ROLES must be/,
    )
  })
})

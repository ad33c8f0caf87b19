import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { accepted, refused } from '../../support/identity-scene.ts'
import { watch } from '../../support/identity-watch.ts'

const COOLDOWN_S = 10
const REFRESH_AFTER_S = 30
const MAX_AGE_S = 60
const REMEMBERED_CHARACTERS = 16 * 1024 * 1024

test('a remembered token ends on time', async (t) => {
  const { clock, token, send, pass } = await watch(t)
  const short = await token({}, { exp: clock.ms / 1_000 + 60 })
  for (const seconds of [0, 60, 29]) {
    pass(seconds)
    accepted(await send(short))
  }
  pass(1)
  refused(await send(short), 'The token has expired.')
})

test('a remembered token vouches for no other signature, header or payload', async (t) => {
  const { token, send } = await watch(t)
  const good = await token()
  accepted(await send(good))
  const other = await token()
  const parts = good.split('.')
  for (const [i, part] of other.split('.').entries()) {
    // The header is the same in both.
    if (i > 0) refused(await send(parts.with(i, part).join('.')))
    refused(await send(parts.with(i, '').join('.')))
  }
  refused(await send(`${good}A`))
  accepted(await send(good))
})

test('tokens are remembered up to a number of characters, the least used forgotten first', async (t) => {
  const { running, token } = await watch(t)
  const { verify } = running.core.identity
  const filler = 'x'.repeat(256 * 1024)
  const [used, unused] = [await token(), await token()]
  const first = { used: await verify(used), unused: await verify(unused) }
  assert.equal(await verify(unused), first.unused)

  let characters = 0
  while (characters < REMEMBERED_CHARACTERS) {
    const large = await token({}, { filler })
    characters += large.length
    await verify(large)
    // The very same answer: remembered.
    assert.equal(await verify(used), first.used)
  }
  assert.notEqual(await verify(unused), first.unused)
})

test('a remembered token ends once the issuer has withdrawn its key and the keys are read again', async (t) => {
  const { running, token, send, pass } = await watch(t)
  const old = await token()
  accepted(await send(old))
  await running.issuer.rotateKey({ keepOld: false })
  accepted(await send(old))
  pass(COOLDOWN_S)
  accepted(await send(await token()))
  refused(await send(old))
})

test('remembered tokens alone have the keys read again', async (t) => {
  const { running, token, send, pass, settled } = await watch(t)
  const old = await token()
  accepted(await send(old))
  await running.issuer.rotateKey({ keepOld: false })
  pass(REFRESH_AFTER_S - 1)
  accepted(await send(old))
  assert.equal(running.issuer.jwksRequests(), 1)
  pass(1)
  accepted(await send(old))
  await t.waitFor(() => assert.equal(running.issuer.jwksRequests(), 2), { timeout: 10_000 })
  await settled()
  refused(await send(old))
  assert.equal(running.issuer.jwksRequests(), 2)
})

test('after a minute of silence not even the first call passes with a withdrawn key', async (t) => {
  const { running, token, send, pass } = await watch(t)
  const [seen, unseen] = [await token(), await token()]
  accepted(await send(seen))
  await running.issuer.rotateKey({ keepOld: false })
  pass(MAX_AGE_S)
  for (const reply of await Promise.all([seen, unseen, seen, unseen].map(send))) refused(reply)
  assert.equal(running.issuer.jwksRequests(), 2)
})

test('an outage before the silence changes nothing about that', async (t) => {
  const { running, token, send, pass, settled } = await watch(t)
  const old = await token()
  accepted(await send(old))
  await running.issuer.stop()
  pass(REFRESH_AFTER_S)
  await settled()
  await running.issuer.resume()
  await running.issuer.rotateKey({ keepOld: false })
  pass(MAX_AGE_S)
  for (const reply of await Promise.all([old, old].map(send))) refused(reply)
})

test('a token checked while its key is being withdrawn is not remembered', async (t) => {
  const { running, token, unknown, send, pass } = await watch(t)
  accepted(await send(await token()))
  const [old, other] = [await token(), await unknown()]
  await running.issuer.rotateKey({ keepOld: false })
  pass(COOLDOWN_S)
  const release = await holdThreads()
  const checking = running.core.identity.verify(old)
  try {
    // By now its signature waits for a thread.
    await setImmediate()
    refused(await send(other))
  } finally {
    await release()
  }
  await checking
  refused(await send(old))
})

/** Occupies every thread that cryptography runs on: opening a pipe to read takes one until the pipe is written. */
async function holdThreads(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'console-threads-'))
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  const pipes = Array.from({ length: threads }, (_, i) => join(folder, `${i}`))
  execFileSync('/usr/bin/mkfifo', pipes)
  const opening = pipes.map((pipe) => open(pipe))
  return async () => {
    const writing = pipes.map((pipe) => openSync(pipe, 'w'))
    for (const reader of await Promise.all(opening)) await reader.close()
    for (const writer of writing) closeSync(writer)
    await rm(folder, { recursive: true })
  }
}

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { seedOr, sized } from '../support/sized.ts'
import type { Observed } from './outbound-namespace.ts'

const URLS = sized(500, 5_000)
const SEED = seedOr(Date.now() % 2 ** 32)

/** Every address of IPv4 and IPv6 is an address of this machine, and nothing leads out of it. */
const NETWORK = [
  'ip link set lo up',
  'ip route add local 0.0.0.0/0 dev lo',
  'ip -6 route add local ::/0 dev lo',
  'exec "$0" "$@"',
].join(' && ')

describe('the guard of outbound requests', () => {
  it(`connects to no address that is not public for ${URLS} generated URLs (seed ${SEED})`, async () => {
    const script = fileURLToPath(new URL('./outbound-namespace.ts', import.meta.url))
    const { stdout } = await promisify(execFile)('unshare', [
      ...['--map-root-user', '--net', 'sh', '-c', NETWORK],
      ...[process.execPath, script, String(URLS), String(SEED)],
    ])
    const { guarded, open } = JSON.parse(stdout) as { guarded: Observed; open: Observed }
    process.stdout.write(
      `${URLS} URLs: ${guarded.public} connections to public addresses, ${guarded.blocked.length} to others, ` +
        `${guarded.documents} documents; without the guard ${open.blocked.length} other addresses\n`,
    )
    assert.deepEqual(guarded.blocked, [])
    assert.ok(guarded.public > URLS / 10)
    assert.ok(guarded.documents > 0)
    assert.ok(open.blocked.length > URLS / 10)
  })
})

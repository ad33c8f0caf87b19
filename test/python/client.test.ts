import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { useConsole } from '../support/console.ts'
import { createTestNats } from '../support/nats.ts'
import { canBeWatched } from '../support/watching.ts'

const FOLDER = join(import.meta.dirname, '../../python')

describe('the Python client', async () => {
  const nats = await createTestNats()
  closeAfter(() => nats.remove())
  const running = await useConsole({ environment: nats.environment })
  const { token, team } = await running.person()
  const reader = await running.person({ team, scope: 'agent:read' })
  await canBeWatched(running.url, token)

  const python = async (args: string[], input = '') => {
    const child = spawn('python3', ['-B', ...args], {
      cwd: FOLDER,
      env: {
        PATH: process.env['PATH'],
        AGENT_CONSOLE_URL: running.url,
        AGENT_CONSOLE_TOKEN: token,
        AGENT_CONSOLE_READER_TOKEN: reader.token,
      },
    })
    child.stdin.end(input)
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ])
    return { stdout, stderr, code }
  }

  it('passes its tests against the console', async (t) => {
    const { stderr, code } = await python(['-W', 'error', '-m', 'unittest'])
    assert.equal(code, 0, stderr)
    t.diagnostic(/Ran \d+ tests/.exec(stderr)?.[0] ?? '')
    assert.doesNotMatch(stderr, /skipped|Ran 0 tests/)
  })

  it('does what its README shows', async () => {
    const page = await readFile(join(FOLDER, 'README.md'), 'utf8')
    const examples = [...page.matchAll(/```python\n(.*?)```/gs)].map(([, code]) => code)
    assert.ok(examples.length >= 5)
    const script = examples
      .join('\n')
      .replace('https://console.example.com', running.url)
      .replace('position = None', 'start_writer()\nposition = None')
    const setup = [
      'import os, threading, time',
      'def read_token(): return os.environ["AGENT_CONSOLE_TOKEN"]',
      'def write():',
      '    while True: client.agents.update(id, {"purpose": str(time.monotonic())})',
      'def start_writer(): threading.Thread(target=write, daemon=True).start()',
      '',
    ]
    const { stdout, stderr, code } = await python(['-'], setup.join('\n') + script)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /Invoice helper 1/)
    // Any event: one of the changes before may still be on its way.
    assert.match(stdout, /^console\.agent\.\w+ [\da-f-]{36}$/m)
  })
})

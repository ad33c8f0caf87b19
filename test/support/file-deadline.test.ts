import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

/** Runs a fixture as `npm test` runs a test file. */
async function run(fixture: string, limits: Record<string, string> = {}, ...options: string[]) {
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const preload = new URL('file-deadline.ts', import.meta.url).href
  const file = fileURLToPath(new URL(`fixtures/${fixture}`, import.meta.url))
  const child = spawn(process.execPath, ['--test', '--import', preload, ...options, file], {
    env: { ...environment, ...limits },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { output: output + errors, exitCode }
}

describe('the time limit of a test file', () => {
  it('ends a process that does not exit, fails its file, and reports what is alive', async () => {
    const { output, exitCode } = await run('leaked-timer.ts', { TEST_EXIT_GRACE_MS: '10' })
    assert.equal(exitCode, 1)
    assert.match(
      output,
      /leaked-timer\.ts did not exit within 10 ms after its last test\. What is alive: .*1 × Timeout/,
    )
    assert.match(output, /fail 1/)
  })

  it('ends a process whose suite is never set up', async () => {
    const { output, exitCode } = await run('never-collected.ts', { TEST_FILE_TIMEOUT_MS: '1000' })
    assert.equal(exitCode, 1)
    assert.match(output, /never-collected\.ts did not finish within 1000 ms\. What is alive: .*1 × Timeout/)
  })

  it('ends nothing if no test of a suite matches, because what the suite started is closed', async () => {
    const { output, exitCode } = await run('no-match.ts', {}, '--test-name-pattern=another')
    assert.equal(exitCode, 0, output)
    assert.doesNotMatch(output, /What is alive/)
  })

  it('ends nothing if the configuration of a console is invalid, because what was started is closed', async () => {
    const { output, exitCode } = await run('invalid-configuration.ts')
    assert.equal(exitCode, 1)
    assert.match(output, /PORT/)
    assert.doesNotMatch(output, /What is alive/)
  })

  it('leaves a process alone that exits by itself', async () => {
    const { output, exitCode } = await run('clean.ts')
    assert.equal(exitCode, 0)
    assert.doesNotMatch(output, /What is alive/)
  })
})

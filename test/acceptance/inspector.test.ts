import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')

describe('a process of the console', () => {
  it('does not listen for a debugger when it gets SIGUSR1, however it is started', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    for (const start of [scripts['start'], scripts['relay']])
      assert.match(start ?? '', /^node --disable-sigusr1 /)
    assert.match(
      read('Dockerfile'),
      /^ENTRYPOINT \["node", "--disable-sigusr1", (?:"--(?:max|v8)-\S+=\d+", )*"\/app\/bin\/agent-console\.ts"\]$/m,
    )
    for (const unit of ['agent-console', 'agent-console-relay']) {
      assert.match(
        read(`deploy/systemd/${unit}.service`),
        /^ExecStart=\/usr\/bin\/node --disable-sigusr1 (?:--(?:max|v8)-\S+=\d+ )*bin/m,
      )
    }
    // The entry point hands its options on.
    assert.match(read('bin/agent-console.ts'), /process\.execArgv/)
  })
})

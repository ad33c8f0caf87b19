import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { buildCli } from '../../scripts/build.ts'
import { useFolder } from './cli.ts'

/** Builds the program for the tests of the calling file or suite, and returns the environment that its processes need. */
export async function useBuiltProgram() {
  const folder = await useFolder()
  const dist = join(folder, 'dist')
  await buildCli(dist)
  return {
    dist,
    program: join(dist, 'agent-console.js'),
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, NODE_COMPILE_CACHE: join(folder, 'cache') },
  }
}

/** What a process has printed, and its exit code, once it has ended. */
export async function outcomeOf(child: ChildProcessWithoutNullStreams) {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { stdout, stderr, code }
}

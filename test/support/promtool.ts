import { spawnSync } from 'node:child_process'

/** `.ci/promtool` fetches it, and `.ci/node` names it. */
const PROGRAM = process.env['PROMTOOL'] ?? 'promtool'

/** Runs promtool of Prometheus, and returns all that it prints. */
export function promtool(folder: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync(PROGRAM, args, { cwd: folder, encoding: 'utf8' })
  if (error) throw new Error('promtool is missing: bash .ci/promtool fetches it', { cause: error })
  return { status, output: stdout + stderr }
}

import { spawnSync } from 'node:child_process'

/** `.ci/promtool` fetches it, and `.ci/node` names it. */
const PROGRAM = process.env['PROMTOOL'] ?? 'promtool'

/** A reason to skip tests that need it. `.ci/run` fetches it, so that CI never skips them. */
export const NO_PROMTOOL = spawnSync(PROGRAM, ['--version']).error
  ? 'promtool is missing. Fetch it with: bash .ci/promtool'
  : false

/** Runs promtool of Prometheus, and returns all that it prints. */
export function promtool(folder: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(PROGRAM, args, { cwd: folder, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

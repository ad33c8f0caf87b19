import { readFile } from 'node:fs/promises'
import { attempt, type Output, run } from './command.ts'
import type { Engine } from './engine.ts'

export type Environment = Record<string, string>

export interface Container {
  /** The lines of /proc/<pid>/status, by name. */
  status: () => Promise<Map<string, string>>
  exec: (...command: string[]) => Promise<Output>
  logs: () => Promise<string>
  /** Sends SIGTERM and returns the exit code and how long the end took. */
  stop: () => Promise<{ code: number; ms: number }>
  remove: () => Promise<void>
}

/** Nothing that the image should not need: no capability, no new privilege, no writable file. The network of
 * the host, where the servers are. */
const RESTRICTIONS = [
  '--network=host',
  '--read-only',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
  '--memory=512m',
]

export function createContainers({ command, runOptions, image }: Engine) {
  const [program = '', ...before] = command
  const engine = (...args: string[]) => run(program, ...before, ...args)
  const tryEngine = (...args: string[]) => attempt(program, ...before, ...args)
  const options = (environment: Environment) => [
    ...RESTRICTIONS,
    // Podman would mount a writable /tmp, /run and /var/tmp.
    ...(program === 'podman' ? ['--read-only-tmpfs=false'] : []),
    ...runOptions,
    ...Object.entries(environment).map(([name, value]) => `--env=${name}=${value}`),
  ]

  return {
    /** Runs a command of the image to its end. */
    once: (environment: Environment, ...args: string[]): Promise<Output> =>
      tryEngine('run', '--rm', ...options(environment), image, ...args),

    start: async (environment: Environment, ...args: string[]): Promise<Container> => {
      const id = await engine('run', '--detach', ...options(environment), image, ...args)
      return {
        async status() {
          const pid = await engine('inspect', '--format', '{{.State.Pid}}', id)
          const text = await readFile(`/proc/${pid}/status`, 'utf8')
          return new Map(text.split('\n').map((line) => line.split(/:\s+/) as [string, string]))
        },
        exec: (...execArgs) => tryEngine('exec', id, ...execArgs),
        logs: async () => {
          const { stdout, stderr } = await tryEngine('logs', id)
          return `${stdout}\n${stderr}`.trim()
        },
        async stop() {
          const startedAt = performance.now()
          await engine('stop', '--time=30', id)
          const ms = Math.round(performance.now() - startedAt)
          return { code: Number(await engine('inspect', '--format', '{{.State.ExitCode}}', id)), ms }
        },
        remove: async () => {
          await engine('rm', '--force', id)
        },
      }
    },

    inspect: (format: string) => engine('image', 'inspect', '--format', format, image),
  }
}

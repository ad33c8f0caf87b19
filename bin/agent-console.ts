/** The entry point of the container image: `agent-console <command>`. */

const COMMANDS: Record<string, { file: string; does: string }> = {
  serve: { file: 'src/main.ts', does: 'serve the API, and deliver events unless RELAY=off' },
  relay: { file: 'src/relay.ts', does: 'deliver events only' },
  migrate: { file: 'scripts/migrate.ts', does: 'bring the database to the newest schema' },
  'rotate-secrets': {
    file: 'scripts/rotate-secrets.ts',
    does: 'seal all secrets with the first key of SECRETS_KEYS',
  },
  'new-epoch': {
    file: 'scripts/new-epoch.ts',
    does: 'continue the delivery of events after a restore of the database',
  },
  doctor: {
    file: 'scripts/doctor.ts',
    does: 'check a deployment, and say what to do about each problem',
  },
  health: {
    file: 'bin/health.ts',
    does: 'check the process that this container runs',
  },
}

const [name = '', ...options] = process.argv.slice(2)
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
if (command) {
  const file = new URL(`../${command.file}`, import.meta.url).pathname
  // Replaces this process, so that the command itself is process 1 of a container and receives its signals.
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, file, ...options], process.env)
}

const list = Object.entries(COMMANDS).map(([each, { does }]) => `  ${each.padEnd(16)}${does}`)
process.stderr.write(`usage: agent-console <command>\n\n${list.join('\n')}\n`)
process.exitCode = name === '--help' ? 0 : 2

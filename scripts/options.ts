import { parseArgs } from 'node:util'

/** Adds the name of the option to the error of its parser. */
export function readOption<Value>(name: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw new Error(`${name} ${(error as Error).message}`, { cause: error })
  }
}

/** Reads a command line that may hold only `--help`, and prints the help then. */
export function helpOrGoOn(help: string): void {
  const { values } = orExit(() => parseArgs({ options: { help: { type: 'boolean', short: 'h' } } }))
  if (!values.help) return
  process.stdout.write(help)
  process.exit(0)
}

/** A server that is not there, or refuses the user. */
const NOT_CONNECTED = /^(ECONN|ENOTFOUND|EAI_AGAIN|ENOENT|ETIMEDOUT|28)/

/** A sentence for an error of a database that can be expected, or else what the error says. */
export function explainDatabaseError(error: Error & { code?: string }): string {
  const { code = '', message } = error
  if (code === '42P01') return 'The database has no tables yet: npm run migrate'
  if (code === '3D000') return `The ${message}: createdb, then npm run migrate`
  return NOT_CONNECTED.test(code) ? `${message}. Check DATABASE_URL.` : message
}

/** Prints only the message of an error, without a stack, and exits. */
export function orExit<Options>(read: () => Options): Options {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    return process.exit(1)
  }
}

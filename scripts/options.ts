import { parseArgs } from 'node:util'
import { readVariable } from '../src/config/reader.ts'

/** Adds the name of the option to the error of its parser. */
export function readOption<Value>(name: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw new Error(`${name} ${(error as Error).message}`, { cause: error })
  }
}

/** A variable of the environment, or of the file that `<name>_FILE` names. Empty if neither is set. */
export function readSetting(name: string): string {
  return orExit(() => readOption(name, () => readVariable(process.env, name)))
}

/** Prints what is missing, and exits, unless DATABASE_URL is set. */
export function readDatabaseUrl(): string {
  const url = readSetting('DATABASE_URL')
  if (url !== '') return url
  process.stderr.write('DATABASE_URL is missing: postgres://user:password@host:5432/database\n')
  return process.exit(1)
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

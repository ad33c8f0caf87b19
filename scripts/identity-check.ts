import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { readAuthConfig } from '../src/config/auth.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { type Explanation, explainToken } from './identity/explain.ts'
import { orExit } from './options.ts'

const HELP = `npm run identity:check -- TOKEN
npm run identity:check < file-with-the-token

Prints what the console reads from a token, and each reason why it would refuse it. It needs
the same AUTH_… variables as the console, and prints neither the token nor its signature.
Other users of the machine can see arguments of a command: use the second form there.
The exit code is 1 if the console would refuse the token, and 2 if it cannot tell, because
the keys of the issuer or the list of revocations cannot be loaded.
`

function format({ facts, refusals, unchecked, notes }: Explanation): string {
  const width = Math.max(0, ...facts.map(([label]) => label.length))
  const lines = facts.map(([label, fact]) => `${label.padEnd(width)}  ${fact}`)
  const list = (title: string, sentences: string[]) =>
    sentences.length === 0 ? [] : ['', title, ...sentences.map((sentence) => `  - ${sentence}`)]
  return [
    ...lines,
    ...list('Note:', notes),
    ...list('Not checked:', unchecked),
    ...list('The console would refuse this token:', refusals),
    ...(refusals.length > 0
      ? []
      : ['', `The console would accept this token${unchecked.length > 0 ? ' otherwise' : ''}.`]),
  ].join('\n')
}

if (import.meta.main) {
  const { values, positionals } = orExit(() =>
    parseArgs({ options: { help: { type: 'boolean', short: 'h' } }, allowPositionals: true }),
  )
  if (values.help) {
    process.stdout.write(HELP)
    process.exit(0)
  }
  const auth = orExit(() => readAuthConfig(process.env))
  const token = (positionals[0] ?? (await text(process.stdin))).trim().replace(/^Bearer(?: +|$)/i, '')
  const explanation = await explainToken(token, { ...auth, now: Date.now, log: createLog('silent') })
  process.stdout.write(`${format(explanation)}\n`)
  process.exitCode = explanation.refusals.length > 0 ? 1 : explanation.unchecked.length > 0 ? 2 : 0
}

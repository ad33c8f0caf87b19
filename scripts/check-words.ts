import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'

/** Words that the project does not use, and what to write instead. */
const WORDS: Record<string, string> = {
  whoever: 'name the actor: the caller, the client, the operator',
  nobody: 'no caller, no client, no reader',
  somebody: 'a caller, a client, an operator',
  everybody: 'all callers, all clients',
  anybody: 'any caller, any client',
  asker: 'ForwardContext, caller',
  bell: 'notifier',
  lift: 'upgrade',
  mend: 'fix',
  mends: 'fixes',
  mended: 'fixed',
  neutral: 'say what it does',
  relief: 'forced minor GC',
  relieve: 'force a minor GC',
  sentinel: 'document poller',
  underway: 'in flight, pending',
  'under way': 'in flight, pending',
  'heart-beat': 'heartbeat',
}

const CHECKED = [
  'src/**/*',
  'docs/**/*',
  '{README,CONTRIBUTING,SECURITY,CHANGELOG}.md',
  '{openapi,asyncapi}.json',
]

export interface Finding {
  file: string
  /** 0 for the name of the file. */
  line: number
  word: string
  instead: string
}

/** As whole words in any case, also as parts of identifiers such as `createBell` and `outbox-bell`. */
export function findWords(file: string, text: string): Finding[] {
  return [file, ...text.split('\n')].flatMap((content, line) => {
    const words = content.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ').replaceAll('_', ' ')
    return Object.entries(WORDS)
      .filter(([word]) => new RegExp(`(?<![\\p{L}\\d])${word}(?![\\p{L}\\d])`, 'iu').test(words))
      .map(([word, instead]) => ({ file, line, word, instead }))
  })
}

if (import.meta.main) {
  const findings: Finding[] = []
  for await (const entry of glob(CHECKED, { withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = `${entry.parentPath}/${entry.name}`.slice(process.cwd().length + 1)
    findings.push(...findWords(path, readFileSync(path, 'utf8')))
  }
  for (const { file, line, word, instead } of findings) {
    process.stdout.write(`${file}${line > 0 ? `:${line}` : ''}: "${word}" (write: ${instead})\n`)
  }
  if (findings.length > 0) process.exitCode = 1
}

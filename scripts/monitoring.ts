import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDashboards } from './monitoring/dashboards.ts'
import { makeRules, makeRuleTests } from './monitoring/rules.ts'
import { makeRunbookIndex } from './monitoring/runbooks.ts'

/** The alerts with the list of their runbooks, and the dashboards, by file name. */
export function makeMonitoring(): Record<string, string> {
  return {
    'deploy/prometheus/alerts.yaml': makeRules(),
    'deploy/prometheus/alerts.test.yaml': makeRuleTests(),
    'docs/runbooks/README.md': makeRunbookIndex(),
    ...makeDashboards(),
  }
}

/** Writes the files, or with `--check` fails if a committed file differs. */
if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  for (const [file, text] of Object.entries(makeMonitoring())) {
    const path = join(root, file)
    if (!process.argv.includes('--check')) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    } else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
      process.stderr.write(`${file} is out of date. Run \`npm run generate\` and commit the result.\n`)
      process.exitCode = 1
    }
  }
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDashboards } from './monitoring/dashboards.ts'

/** Writes the dashboards of `deploy/grafana`, or with `--check` fails if a committed one differs. */
const root = join(import.meta.dirname, '..')
for (const [file, text] of Object.entries(makeDashboards())) {
  const path = join(root, file)
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`${file} is out of date. Run \`npm run generate\` and commit the result.\n`)
    process.exitCode = 1
  }
}

import { access, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { editorSchema } from '../config-as-code/editor-schema.ts'
import { DEFAULT_FILES, NAME, NAME_RULE, PROJECT_FILE, SCHEMA_FILE } from '../config-as-code/project.ts'
import type { Context, Run } from '../context.ts'
import { UsageError } from '../failure.ts'
import { toYaml } from '../output/print.ts'
import { readUrl } from '../session/connection.ts'
import { pathsOf } from '../session/paths.ts'
import { chosenProfile, findProfile, readConfig } from '../session/profiles.ts'

export const run: Run = async (context) => {
  const { io, note, args } = context
  const [set = ''] = args
  if (!NAME.test(set)) throw new UsageError(`SET must be ${NAME_RULE}.`)
  const path = join(io.cwd, PROJECT_FILE)
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) throw new UsageError(`${PROJECT_FILE} exists already. To name another set, edit it.`)
  const url = await findUrl(context)
  await writeFile(
    path,
    `${HEAD}${await toYaml({ set, ...(url !== undefined && { url }), files: DEFAULT_FILES })}`,
  )
  const schema = join(io.cwd, SCHEMA_FILE)
  await mkdir(dirname(schema), { recursive: true })
  await writeFile(schema, `${JSON.stringify(editorSchema(), null, 2)}\n`)
  if (url === undefined) note('No console is named: add url, or set AGENT_CONSOLE_URL.')
  return {
    data: { set, url: url ?? null, files: [PROJECT_FILE, SCHEMA_FILE] },
    names: [PROJECT_FILE, SCHEMA_FILE],
    render: ({ paint }) =>
      [
        `${paint(PROJECT_FILE, 'green')} and ${paint(SCHEMA_FILE, 'green')} written.`,
        'Next: agent-console pull AGENT, or write agents/NAME.yaml',
        'Then: agent-console plan',
      ].join('\n'),
  }
}

const HEAD = `# Agents of this folder are kept in files. See: agent-console plan --help
# url: the console that the set belongs to. files: patterns of the files of the agents.
`

/** As a command would connect, without a login. */
async function findUrl({ io, options }: Context): Promise<string | undefined> {
  const named = options.text('url') ?? io.env['AGENT_CONSOLE_URL']
  if (named) return readUrl(named)
  const config = await readConfig(pathsOf(io))
  return findProfile(config, chosenProfile(options.text('profile'), io.env, config))?.url
}

import { Stale } from '@agent-console/sdk'
import { editText } from '../agents/editor.ts'
import { checkField, EDITABLE_FIELDS, isText } from '../agents/fields.ts'
import { parseValue } from '../agents/read-file.ts'
import { resolveAgent } from '../agents/resolve.ts'
import { agentResult, changeResult } from '../agents/show.ts'
import type { Run } from '../context.ts'
import { EXIT, Failure, UsageError } from '../failure.ts'
import { toYaml } from '../output/print.ts'

type Values = Record<string, unknown>

export const run: Run = async ({ io, client, options, note, args: [name = ''] }) => {
  const field = options.text('field')
  if (field !== undefined) checkField(field)
  if (!io.stdin.isTerminal || !io.stdout.isTerminal) {
    throw new UsageError('An editor needs a terminal. Use: agent-console agents set AGENT FIELD=VALUE')
  }
  const console = await client()
  const { agents } = console
  const id = await resolveAgent(console, name)
  const current = await agents.get(id)
  const agent = current.agent as Values
  const before = Object.fromEntries((field ? [field] : EDITABLE_FIELDS).map((each) => [each, agent[each]]))

  const form = field !== undefined && isText(field) ? textForm(field) : YAML_FORM
  const edited = await editText(await form.write(before), form.extension, io)
  try {
    const after = await form.read(edited.text)
    const changes = Object.fromEntries(
      Object.entries(after).filter(([each, value]) => JSON.stringify(value) !== JSON.stringify(before[each])),
    )
    if (Object.keys(changes).length === 0) {
      note('Nothing was changed.')
      await edited.remove()
      return agentResult(current)
    }
    for (const each of Object.keys(changes)) checkField(each)
    const change = { ifRevision: current.revision, reason: options.text('reason') }
    const updated = await agents.update(id, changes, change)
    await edited.remove()
    return changeResult(updated, 'updated', note)
  } catch (error) {
    note(`What you wrote is in ${edited.path}`)
    if (!(error instanceof Stale)) throw error
    throw new Failure(`Another user changed ${name} while you edited it. Nothing was written.`, EXIT.stale)
  }
}

interface Form {
  extension: string
  write: (values: Values) => Promise<string>
  read: (text: string) => Promise<Values>
}

/** One field, without quotes. */
const textForm = (field: string): Form => ({
  extension: 'txt',
  write: async (values) => (typeof values[field] === 'string' ? `${values[field]}\n` : ''),
  // Editors end a file with the end of a line.
  read: async (text) => ({ [field]: text === '' ? null : text.replace(/\n$/, '') }),
})

const HEAD = '# Change the fields and save. null clears a field; a field that you remove keeps its value.\n'

const YAML_FORM: Form = {
  extension: 'yaml',
  write: async (values) => HEAD + (await toYaml(values)),
  read: async (text) => {
    const values = await parseValue(text, 'The file')
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      throw new Failure('The file must hold the fields as an object.')
    }
    return values as Values
  },
}

import { join, relative, resolve } from 'node:path'
import { resolveAgents } from '../agents/resolve.ts'
import { type ConnectedSet, connectSet } from '../config-as-code/open-set.ts'
import { PROJECT_FILE, readProject } from '../config-as-code/project.ts'
import { agentsToPull, membersToPull, ownedByOthers, type Pulled, takeAgent } from '../config-as-code/pull.ts'
import { keyOf, pulledSpec, variableNames } from '../config-as-code/pulled-spec.ts'
import { findFiles, readAnyFiles } from '../config-as-code/read-files.ts'
import { describeUnset, findUnset, type UnsetSecret } from '../config-as-code/unset-secrets.ts'
import { updateDocument, writeDocument } from '../config-as-code/write-file.ts'
import type { Context } from '../context.ts'
import { EXIT, UsageError } from '../failure.ts'
import type { Run } from '../grammar/types.ts'
import { type Column, renderTable } from '../output/table.ts'

interface Row {
  key: string
  agent_id: string
  file: string
  status: 'written' | 'updated' | 'kept' | 'failed'
  /** The set took the agent. */
  adopted: boolean
  error: string | null
}

export const run: Run = async (context) => {
  const { io, options, args, progress, note } = context
  const project = await readProject(options.text('config'), io)
  const folder = resolve(io.cwd, options.text('directory') ?? join(project.folder, 'agents'))
  // Read even if faulty: no key may be given twice, and no file be lost.
  const { desired, removed } = await readAnyFiles(project, [], io)
  const set = await connectSet(context, project)
  const query = options.text('query')
  progress('Reading the agents…')
  const isAll = args.length === 0 && query === undefined
  const pulled = isAll
    ? await membersToPull(set, io.signal)
    : await agentsToPull(set, await resolveAgents(set.console, args), query)
  const owned = isAll ? new Map<string, Set<string>>() : await ownedByOthers(set.console, project.set)
  const files = new Map(desired.map(({ key, file }) => [key, resolve(io.cwd, file)]))
  const taken = new Set([
    ...files.keys(),
    ...removed.map(({ key }) => key),
    ...(await set.client.members()).keys(),
  ])
  const rows: Row[] = []
  const work = pulled.map((each) => {
    const key = each.member?.key ?? keyOf(each.agent, taken)
    taken.add(key)
    return { each, key }
  })
  const variables = variableNames(taken)
  const unset: UnsetSecret[] = []
  await set.pool.each(
    work,
    async ({ each, key }) => {
      const place = { set, context, folder, files, variables, ownedByOthers: owned, unset }
      rows.push(await pullOne(each, key, place))
      progress(`${rows.length} of ${work.length} agents…`)
    },
    () => io.signal.aborted,
  )
  progress('')
  const found = await findFiles(project.files, project.folder)
  if (rows.some(({ status, file }) => status === 'written' && !found.includes(resolve(io.cwd, file)))) {
    note(
      `The patterns of ${PROJECT_FILE} do not match the files. Add ${relative(project.folder, folder)}/**/*.yaml to files.`,
    )
  }
  if (unset.length > 0) note(describeUnset(unset))
  if (options.isOn('no-adopt') && work.some(({ each }) => !each.member)) {
    note(
      'The set has not taken these agents: apply would create them again. Let it take each with: agent-console adopt ID KEY',
    )
  }
  rows.sort((a, b) => (a.key < b.key ? -1 : 1))
  const failed = rows.filter(({ error }) => error !== null)
  const exitCode = failed.length === 0 ? EXIT.done : failed.length < rows.length ? EXIT.partly : EXIT.error
  return {
    data: rows,
    names: rows.map(({ file }) => file),
    render: (style) => {
      if (rows.length > 0) return renderTable(rows, COLUMNS, style)
      return isAll
        ? `The set ${project.set} has no agents. Name those that it takes: agent-console pull AGENT…`
        : 'No agents'
    },
    exitCode: io.signal.aborted ? EXIT.interrupted : exitCode,
  }
}

interface Place {
  set: ConnectedSet
  context: Context
  folder: string
  /** The files that exist, by key. */
  files: ReadonlyMap<string, string>
  variables: ReadonlyMap<string, string>
  ownedByOthers: ReadonlyMap<string, Set<string>>
  unset: UnsetSecret[]
}

async function pullOne(pulled: Pulled, key: string, place: Place): Promise<Row> {
  const { set, context, folder, files } = place
  const { io, options } = context
  const { agent, member } = pulled
  const others = place.ownedByOthers.get(agent.id) ?? new Set()
  const spec = pulledSpec(agent, place.variables.get(key) ?? '', member?.fields, others)
  const path = files.get(key) ?? join(folder, `${key}.yaml`)
  const row = { key, agent_id: agent.id, file: relative(io.cwd, path), adopted: false, error: null }
  if (files.has(key) && !options.isOn('overwrite')) return { ...row, status: 'kept' }
  if (!member && !options.isOn('no-adopt')) {
    const error = await takeAgent(set.client, pulled, key, spec, io, options.text('reason'))
    if (error !== null) return { ...row, status: 'failed', error }
  }
  const isUpdate = files.has(key)
  if (!isUpdate) {
    place.unset.push(
      ...(await findUnset(spec, io)).map((secret) => ({ ...secret, isOwned: Boolean(member) })),
    )
  }
  try {
    await (isUpdate ? updateDocument(path, key, spec) : writeDocument(path, key, spec, set.project.folder))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new UsageError(`${row.file} cannot be written: ${code}.`)
  }
  return { ...row, status: isUpdate ? 'updated' : 'written', adopted: !member && !options.isOn('no-adopt') }
}

const COLOURS = { written: 'green', updated: 'blue', kept: 'dim', failed: 'red' } as const

const COLUMNS: Column<Row>[] = [
  { title: 'KEY', value: ({ key }) => key, minWidth: 20 },
  { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => COLOURS[status] },
  { title: 'SET', value: ({ adopted }) => (adopted ? 'taken' : ''), omitEmpty: true },
  { title: 'FILE', value: ({ file }) => file, minWidth: 20 },
  { title: 'ID', value: ({ agent_id: id }) => id, colour: () => 'dim', omitFirst: 1 },
  { title: 'ERROR', value: ({ error }) => error ?? '', minWidth: 20, omitEmpty: true, colour: () => 'red' },
]

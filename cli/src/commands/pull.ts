import { join, relative, resolve } from 'node:path'
import { resolveAgents } from '../agents/resolve.ts'
import { connectSet } from '../config-as-code/open-set.ts'
import { PROJECT_FILE, readProject } from '../config-as-code/project.ts'
import { agentsToPull, membersToPull, ownedByOthers } from '../config-as-code/pull.ts'
import { type PulledRow, pullAgent } from '../config-as-code/pull-agent.ts'
import { keyOf, variableNames } from '../config-as-code/pulled-spec.ts'
import { findFiles, readAnyFiles } from '../config-as-code/read-files.ts'
import { describeUnset, type UnsetSecret } from '../config-as-code/unset-secrets.ts'
import type { Run } from '../context.ts'
import { EXIT } from '../failure.ts'
import { oneLine } from '../output/safe-text.ts'
import { type Column, renderTable } from '../output/table.ts'

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
  const documents = new Map([...removed, ...desired].map((document) => [document.key, document]))
  const taken = new Set([...documents.keys(), ...(await set.client.members()).keys()])
  const rows: PulledRow[] = []
  const work = pulled.map((each) => {
    const key = each.member?.key ?? keyOf(each.agent, taken)
    taken.add(key)
    const document = documents.get(key)
    const path = document ? resolve(io.cwd, document.file) : join(folder, `${key}.yaml`)
    return { ...each, key, document, path }
  })
  const variables = variableNames(taken)
  const unset: UnsetSecret[] = []
  let stopped: unknown
  await set.pool
    .each(
      [...Map.groupBy(work, ({ path }) => path).values()],
      async (sameFile) => {
        // One after the other: each reads the file, changes a document and writes the file.
        for (const each of sameFile) {
          if (io.signal.aborted) return
          rows.push(await pullAgent(each, { set, context, variables, ownedByOthers: owned, unset }))
          progress(`${rows.length} of ${work.length} agents…`)
        }
      },
      () => io.signal.aborted,
    )
    .catch((error: unknown) => {
      stopped = error
    })
  progress('')
  if (stopped !== undefined && rows.length === 0) throw stopped
  if (stopped !== undefined && !io.signal.aborted) {
    note(`${oneLine((stopped as Error).message)}. Pull again to go on.`)
  }
  const found = await findFiles(project.files, project.folder)
  if (rows.some(({ status, file }) => status === 'written' && !found.includes(resolve(io.cwd, file)))) {
    note(
      `The patterns of ${PROJECT_FILE} do not match the files. Add ${relative(project.folder, folder)}/**/*.yaml to files.`,
    )
  }
  if (unset.length > 0) note(describeUnset(unset))
  if (options.isOn('no-adopt') && work.some(({ member }) => !member)) {
    note(
      'The set has not taken these agents: apply would create them again. Let it take each with: agent-console adopt ID KEY',
    )
  }
  rows.sort((a, b) => (a.key < b.key ? -1 : 1))
  const failed = rows.filter(({ error }) => error !== null)
  const isDone = failed.length === 0 && stopped === undefined
  const exitCode = isDone ? EXIT.done : failed.length < rows.length ? EXIT.partly : EXIT.error
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

const COLOURS = { written: 'green', updated: 'blue', kept: 'dim', failed: 'red' } as const

const COLUMNS: Column<PulledRow>[] = [
  { title: 'KEY', value: ({ key }) => key, minWidth: 20 },
  { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => COLOURS[status] },
  { title: 'SET', value: ({ adopted }) => (adopted ? 'taken' : ''), omitEmpty: true },
  { title: 'FILE', value: ({ file }) => file, minWidth: 20 },
  { title: 'ID', value: ({ agent_id: id }) => id, colour: () => 'dim', omitFirst: 1 },
  { title: 'ERROR', value: ({ error }) => error ?? '', minWidth: 20, omitEmpty: true, colour: () => 'red' },
]

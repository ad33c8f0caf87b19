import type { Console } from '@agent-console/sdk'
import type { Context } from '../context.ts'
import { UsageError } from '../failure.ts'
import type { Connection } from '../session/connection.ts'
import { refuseFaults } from './faults.ts'
import { createPool, type Pool } from './pool.ts'
import { type Project, readProject } from './project.ts'
import { readSetFiles, type SetFiles } from './read-files.ts'
import { Secrets } from './secrets.ts'
import { createSetClient, type SetClient } from './set-client.ts'

/** A set of a console. */
export interface ConnectedSet {
  project: Project
  connection: Connection
  console: Console
  client: SetClient
  pool: Pool
}

/** A set with the files that describe it. */
export interface OpenSet extends ConnectedSet {
  files: SetFiles
  /** All secrets of the files. */
  secrets: Secrets
}

const DEFAULT_CONCURRENCY = 8
const MAX_CONCURRENCY = 64

/** Reads and checks all files before the first request. Secrets come last: a command may ask the user for them. */
export async function openSet(context: Context, onlyKey?: string): Promise<OpenSet> {
  const { io, options, progress } = context
  const project = await readProject(options.text('config'), io)
  progress('Reading the files…')
  const all = await readSetFiles(project, options.all('file'), io)
  refuseFaults(all.faults)
  const files =
    onlyKey === undefined ? all : { ...all, desired: all.desired.filter(({ key }) => key === onlyKey) }
  const set = await connectSet(context, project)
  progress('')
  const secrets = new Secrets()
  refuseFaults(
    await secrets.resolve(
      files.desired.flatMap((each) => each.secrets),
      io,
    ),
  )
  return { ...set, files, secrets }
}

export async function connectSet(context: Context, project: Project): Promise<ConnectedSet> {
  const { io, options } = context
  const concurrency = options.count('concurrency') ?? DEFAULT_CONCURRENCY
  if (concurrency > MAX_CONCURRENCY) throw new UsageError(`--concurrency is at most ${MAX_CONCURRENCY}.`)
  const connection = await context.connect(project.url)
  // Its agents would be created a second time.
  if (project.url !== undefined && connection.url !== project.url) {
    throw new UsageError(
      `The set ${project.set} belongs to ${project.url}, not to ${connection.url}. Remove url from ${project.path} if it belongs to both.`,
    )
  }
  const console = await context.client(connection)
  const client = createSetClient(console, project.set)
  return { project, connection, console, client, pool: createPool(concurrency, io, context.progress) }
}

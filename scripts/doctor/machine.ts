import { readFileSync } from 'node:fs'
import { MAX_CONNECTIONS } from '../../src/http/server.ts'
import { orOk, problem, type Result } from './finding.ts'

/** Files that the process opens beside the connections of clients: upstreams, databases, logs. */
const OTHER_FILES = 1_000

const OLDEST_NODE = 24

/** The version of Node, and how many files a process may open here. */
export function checkMachine(): Result[] {
  const major = Number(process.versions.node.split('.')[0])
  const openFiles = readOpenFilesLimit()
  const needed = MAX_CONNECTIONS + OTHER_FILES
  return orOk(
    [
      major >= OLDEST_NODE
        ? undefined
        : problem(`Node is ${process.version}.`, `Install Node ${OLDEST_NODE} or newer.`),
      openFiles >= needed
        ? undefined
        : problem(
            `A process may open ${openFiles} files; ${MAX_CONNECTIONS} connections of clients need ${needed}.`,
            'Raise the limit (LimitNOFILE= of systemd, ulimit -n).',
          ),
    ],
    `Node ${process.version}, ${Number.isFinite(openFiles) ? openFiles : 'any number of'} open files`,
  )
}

/** The hard limit: Node raises its own limit to it. Infinity where it is not known. */
function readOpenFilesLimit(): number {
  try {
    const [, hard = ''] = /^Max open files +\S+ +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return /^\d+$/.test(hard) ? Number(hard) : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

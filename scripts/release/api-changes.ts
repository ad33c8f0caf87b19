import { execFileSync } from 'node:child_process'
import { findBreakingChanges } from '../../src/services/compare/compare.ts'
import { METHODS, type Method } from '../../src/services/document/prepared.ts'
import { isNode, type Node, nodeAt } from '../../src/services/document/tree.ts'
import { mayBreak } from './versions.ts'

export interface Comparison {
  /** One sentence each. */
  changes: string[]
  /** Whether the versions of the documents announce breaking changes. */
  isAnnounced: boolean
}

/** The changes of the API that break clients of the earlier document. */
export function compareDocuments(before: string, after: string): Comparison {
  const [from, to] = [JSON.parse(before) as Node, JSON.parse(after) as Node]
  const versionOf = (document: Node) => String(nodeAt(document, 'info')['version'])
  return {
    changes: findBreakingChanges(partsOf(from), partsOf(to)),
    isAnnounced: mayBreak(versionOf(from), versionOf(to)),
  }
}

function partsOf(document: Node) {
  const paths = nodeAt(document, 'paths')
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => isNode(item) && isNode(item[method])).map((method) => ({
      ...{ service: 'console', path, operationId: '', redirects: false },
      ...{ method: method.toUpperCase() as Method, requestHeaders: [], responseHeaders: [] },
    })),
  )
  return { paths, components: nodeAt(document, 'components') as Record<string, Node>, operations }
}

/** The document that a tag has. Throws a sentence if there is no such tag or document. */
export function documentOf(tag: string, root: string): string {
  try {
    return execFileSync('git', ['show', `refs/tags/${tag}:openapi.json`], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 28,
    })
  } catch {
    throw new Error(`There is no tag ${tag} with an openapi.json`)
  }
}

import { readFile } from 'node:fs/promises'
import type { Node } from './tree.ts'

export interface LintProblem {
  readonly rule: string
  readonly message: string
  /** `#/paths/~1v1~1teams/get` */
  readonly pointer: string
}

/** The rules that the repository holds its own document to. */
const RULES = new URL('../../../redocly.yaml', import.meta.url)

type Linter = (document: Node) => Promise<LintProblem[]>

let linter: Promise<Linter> | undefined

/** Faults by the rules of Redocly, of an object that is not written out and parsed again for it. */
export async function lint(document: Node): Promise<LintProblem[]> {
  linter ??= loadLinter()
  return (await linter)(document)
}

/** It takes a third of a second to load, and what comes before linting need not wait for it. */
async function loadLinter(): Promise<Linter> {
  const { BaseResolver, createConfig, lintDocument, Source } = await import('@redocly/openapi-core')
  const config = await createConfig(await readFile(RULES, 'utf8'))

  /** The linter would read what a document refers to, from the network or from this machine. */
  class NothingElse extends BaseResolver {
    override loadExternalRef(): Promise<never> {
      return Promise.reject(new Error('A document may not refer to another'))
    }
  }
  return async (document) => {
    const problems = await lintDocument({
      document: { source: new Source('openapi.json', ''), parsed: document },
      config,
      externalRefResolver: new NothingElse(),
    })
    return problems.map(({ ruleId, message, location }) => ({
      rule: ruleId,
      message,
      pointer: location[0]?.pointer ?? '#/',
    }))
  }
}

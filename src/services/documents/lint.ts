import { readFile } from 'node:fs/promises'
import { BaseResolver, type Config, createConfig, lintDocument, Source } from '@redocly/openapi-core'
import type { Node } from './tree.ts'

export interface LintProblem {
  readonly rule: string
  readonly message: string
  /** `#/paths/~1v1~1teams/get` */
  readonly pointer: string
}

/** The rules that the repository holds its own document to. */
const RULES = new URL('../../../redocly.yaml', import.meta.url)

/** The linter would read what a document refers to, from the network or from this machine. */
class NothingElse extends BaseResolver {
  override loadExternalRef(): Promise<Source> {
    return Promise.reject(new Error('A document may not refer to another'))
  }
}

let config: Promise<Config> | undefined

/** Faults by the rules of Redocly, of an object that is not written out and parsed again for it. */
export async function lint(document: Node): Promise<LintProblem[]> {
  config ??= readFile(RULES, 'utf8').then((rules) => createConfig(rules))
  const problems = await lintDocument({
    document: { source: new Source('openapi.json', ''), parsed: document },
    config: await config,
    externalRefResolver: new NothingElse(),
  })
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    message,
    pointer: location[0]?.pointer ?? '#/',
  }))
}

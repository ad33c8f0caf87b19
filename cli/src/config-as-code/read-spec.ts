import { isMask } from '../agents/mask.ts'
import { isSecretPlace } from '../agents/secret-places.ts'
import type { Spec } from './desired.ts'
import type { Path } from './documents.ts'
import { includeFile } from './include-file.ts'
import type { ValueFault } from './schema-check.ts'
import { readSource, type SecretUse } from './secrets.ts'

export interface ReadSpec {
  /** With the texts of its files, and the sources of its secrets. */
  spec: Spec
  secrets: Pick<SecretUse, 'path' | 'source'>[]
  faults: ValueFault[]
}

interface Place {
  /** Of the document. */
  folder: string
  /** Of the project. */
  project: string
}

const NOT_A_SOURCE =
  '$secret must be one of { env: NAME }, { file: PATH } and { command: [PROGRAM, ARGUMENT, …] }'

/** Puts the texts of `$file` into a spec and finds its secrets. */
export async function readSpec(value: object, { folder, project }: Place): Promise<ReadSpec> {
  const secrets: ReadSpec['secrets'] = []
  const faults: ValueFault[] = []
  const refuse = (path: Path, message: string) => void faults.push({ path, message })

  const visit = async (each: unknown, path: Path): Promise<unknown> => {
    if (isSecretPlace(path)) return visitSecret(each, path)
    if (typeof each !== 'object' || each === null) return each
    if (Array.isArray(each)) return Promise.all(each.map((item, index) => visit(item, [...path, index])))
    if (Object.hasOwn(each, '$file')) return visitFile(each as { $file: unknown }, path)
    if (Object.hasOwn(each, '$secret')) visitReference(each as { $secret: unknown }, path)
    const members: [string, unknown][] = []
    for (const [name, member] of Object.entries(each))
      members.push([name, await visit(member, [...path, name])])
    return Object.fromEntries(members)
  }
  const visitSecret = (each: unknown, path: Path): unknown => {
    if (each === null) return null
    if (typeof each === 'string' && isMask(each)) {
      refuse(path, 'is a mask. Write where the secret comes from: { $secret: { env: NAME } }')
    } else if (typeof each !== 'object') {
      refuse(path, 'is a secret in clear text. Write where it comes from: { $secret: { env: NAME } }')
    } else {
      const source =
        Object.keys(each).length === 1 ? readSource((each as { $secret?: unknown }).$secret) : undefined
      if (source) secrets.push({ path, source })
      else refuse(path, NOT_A_SOURCE)
    }
    return each
  }
  const visitFile = async (each: { $file: unknown }, path: Path) => {
    if (Object.keys(each).length > 1) refuse(path, '$file must be the only member of its object')
    const { text = '', fault } = await includeFile(each.$file, folder, project)
    if (fault !== undefined) refuse(path, fault)
    return text
  }
  /** `{ $secret: name }` refers to a named secret, which the console keeps. Every reader sees all other values. */
  const visitReference = ({ $secret: name }: { $secret: unknown }, path: Path) => {
    if (typeof name === 'string') return
    refuse(
      path,
      'is no secret: every reader of the agent sees it. Store a named secret, and refer to it: { $secret: NAME }',
    )
  }

  const spec = (await visit(value, [])) as Spec
  return { spec, secrets, faults }
}

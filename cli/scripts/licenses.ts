import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDER = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//

/** The licenses of the packages that modules come from. They must accompany their code, also where it is bundled. */
export async function licensesOf(moduleIds: Iterable<string>): Promise<string> {
  const folders = [...moduleIds].flatMap((id) => FOLDER.exec(id.replaceAll('\\', '/'))?.[1] ?? [])
  const texts = await Promise.all([...new Set(folders)].toSorted().map(licenseOf))
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

async function licenseOf(folder: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
  }
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each))
  if (file === undefined) throw new Error(`${name} has no license to pass on`)
  return `${name} ${version}\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import type { Io } from '../io.ts'

export interface EditedText {
  text: string
  path: string
  remove: () => Promise<void>
}

/** Opens a text in the editor of the user. The file stays until `remove`, so that no work gets lost. */
export async function editText(text: string, extension: string, io: Io): Promise<EditedText> {
  const [command = '', ...args] = editorOf(io)
  const folder = await mkdtemp(join(tmpdir(), 'agent-console-'))
  const path = join(folder, `agent.${extension}`)
  await writeFile(path, text, { mode: 0o600 })
  const remove = () => rm(folder, { recursive: true, force: true })
  const code = await io
    .runInTerminal(command, [...args, path])
    .catch(async (error: NodeJS.ErrnoException) => {
      await remove()
      throw new Failure(`The editor ${command} cannot be started: ${error.code}. Set EDITOR.`)
    })
  if (code !== 0) {
    await remove()
    throw new Failure(`The editor ended with ${code}. Nothing was changed.`)
  }
  const edited = await readFile(path, 'utf8')
  return { text: edited.replace(/^\ufeff/, '').replaceAll('\r\n', '\n'), path, remove }
}

/** VISUAL or EDITOR may have arguments, and quotes around a path with spaces. */
export function editorOf({ env, platform }: Pick<Io, 'env' | 'platform'>): string[] {
  const named = env['VISUAL'] || env['EDITOR'] || (platform === 'win32' ? 'notepad' : 'vi')
  // The path of a program of Windows, without quotes: C:\Program Files\…\editor.exe --wait
  const [, program, rest = ''] = /^([A-Za-z]:\\.*?\.(?:exe|cmd|bat))(?=\s|$)(.*)$/i.exec(named) ?? []
  const words = [...(program === undefined ? named : rest).matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
  return program === undefined ? words : [program, ...words]
}

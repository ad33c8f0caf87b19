import { readFile, realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'

export interface Included {
  text?: string
  fault?: string
}

/** The text of `$file`. A change of a repository must not be able to send other files of the machine to the console, so the
 * file must be below the folder of the project, also after links are followed. */
export async function includeFile(path: unknown, folder: string, project: string): Promise<Included> {
  if (typeof path !== 'string' || path === '') return { fault: '$file must be the path of a text file' }
  const named = resolve(folder, path)
  try {
    const [file, root] = await Promise.all([realpath(named), realpath(project)])
    if (!isBelow(file, root)) return { fault: `$file ${path} is outside of the folder of the project` }
    const text = await readFile(file, 'utf8')
    // Editors end a file with the end of a line, which a prompt does not have.
    return {
      text: text
        .replace(/^\ufeff/, '')
        .replaceAll('\r\n', '\n')
        .replace(/\n$/, ''),
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { fault: `$file ${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : code}` }
  }
}

function isBelow(file: string, folder: string): boolean {
  const path = relative(folder, file)
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

import { execFile } from 'node:child_process'
import { mkdtemp, open, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unprivileged } from '../../dev/postgres-programs.ts'

const run = promisify(execFile)

/** A file system of its own that can be filled. Making it needs root on Linux. */
export interface SmallDisk {
  /** Belongs to the user of PostgreSQL. */
  folder: string
  /** Leaves no space. */
  fill: () => Promise<void>
  free: () => Promise<void>
  remove: () => Promise<void>
}

export async function createSmallDisk(mebibytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'console-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'tmpfs', folder])
  } catch (error) {
    await rmdir(folder)
    throw new Error('A file system could not be mounted: this needs root on Linux', { cause: error })
  }
  unprivileged(folder)
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: async () => {
      const file = await open(filler, 'a')
      try {
        // Ever smaller pieces, down to one byte: a page of the file system.
        for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
          const piece = Buffer.alloc(size)
          while (await file.write(piece).then(({ bytesWritten }) => bytesWritten > 0, isFull));
        }
      } finally {
        await file.close()
      }
    },
    free: () => rm(filler),
    remove: async () => {
      await run('umount', ['--lazy', folder])
      await rmdir(folder)
    },
  }
}

function isFull(error: NodeJS.ErrnoException): false {
  if (error.code !== 'ENOSPC') throw error
  return false
}

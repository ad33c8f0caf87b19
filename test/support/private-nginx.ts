import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A separate nginx, for tests and measurements. */
export interface PrivateNginx {
  pid: number
  stop: () => Promise<void>
}

/** Starts it with the configuration for a folder of its own. */
export async function startPrivateNginx(
  configure: (folder: string) => string | Promise<string>,
): Promise<PrivateNginx> {
  const folder = await mkdtemp(join(tmpdir(), 'console-nginx-'))
  // Its workers run as another user.
  await chmod(folder, 0o711)
  const file = join(folder, 'nginx.conf')
  await writeFile(file, await configure(folder))
  const child = spawn('nginx', ['-c', file, '-p', folder, '-g', 'daemon off;'], {
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const closed = once(child, 'close')
  await once(child, 'spawn')
  return {
    pid: child.pid as number,
    stop: async () => {
      child.kill('SIGTERM')
      await closed
      await rm(folder, { recursive: true })
    },
  }
}

import type { Io } from '../io.ts'

type Place = Pick<Io, 'env' | 'platform'>

/** Whether a page that this machine opens is one that the user sees. */
export function hasBrowser({ env, platform }: Place): boolean {
  if (env['SSH_CONNECTION'] || env['SSH_TTY'] || env['CI']) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'])
}

/** The command that opens a page. On Windows not `start`: cmd.exe would read `&` in the address as its own. */
export function browserCommand({ env, platform }: Place, url: string): [command: string, args: string[]] {
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]]
  if (platform === 'darwin') return ['open', [url]]
  return env['WSL_DISTRO_NAME'] ? ['rundll32.exe', ['url.dll,FileProtocolHandler', url]] : ['xdg-open', [url]]
}

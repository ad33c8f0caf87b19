import type { Io } from './io.ts'

const VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

/** fetch does not look at these variables by itself. */
export async function useProxy({ env, stderr }: Pick<Io, 'env' | 'stderr'>): Promise<void> {
  if (!VARIABLES.some((name) => env[name])) return
  // Newer than the oldest supported Node.
  const http: { setGlobalProxyFromEnv?: () => void } = await import('node:http')
  if (http.setGlobalProxyFromEnv) http.setGlobalProxyFromEnv()
  else stderr.write('This version of Node does not use HTTPS_PROXY. Update to 24.14 or newer.\n')
}

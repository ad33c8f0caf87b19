import type { Run } from '../context.ts'
import { EXIT } from '../failure.ts'
import { sendRaw } from '../raw-request.ts'
import { VERSION } from '../version.ts'

export const run: Run = async ({ io, options, connect, timeoutMs }) => {
  const own = { version: VERSION, node: process.versions.node }
  if (!options.isOn('check')) {
    return { data: own, names: [VERSION], render: () => VERSION }
  }
  const connection = await connect()
  const request = { method: 'GET', path: '/openapi.json', headers: {}, body: undefined }
  const { data } = await sendRaw(connection, request, { signal: io.signal, timeoutMs })
  const { info } = Object(data) as { info?: { version?: unknown } }
  const server = typeof info?.version === 'string' ? info.version : 'unknown'
  const isCompatible = majorOf(server) === majorOf(VERSION)
  return {
    data: { ...own, console: server, is_compatible: isCompatible },
    names: [VERSION],
    render: ({ paint }) =>
      `agent-console ${VERSION}, console ${server}: ${isCompatible ? paint('compatible', 'green') : paint('not compatible', 'red')}`,
    exitCode: isCompatible ? EXIT.done : EXIT.error,
  }
}

/** Before 1.0.0 a minor version may break. */
function majorOf(version: string): string {
  const [major = '', minor = ''] = version.split('.')
  return major === '0' ? `0.${minor}` : major
}

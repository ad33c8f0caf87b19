import type { Run } from '../context.ts'
import { EXIT, Failure, UsageError } from '../failure.ts'
import { oneLine } from '../output/safe-text.ts'
import { renderPairs } from '../output/table.ts'
import { hasBrowser } from '../session/browser.ts'
import { readUrl } from '../session/connection.ts'
import { withLock } from '../session/lock.ts'
import { logInWithBrowser, logInWithDevice } from '../session/log-in.ts'
import { describeStorage, openLoginStore } from '../session/login-store.ts'
import { pathsOf } from '../session/paths.ts'
import { changeConfig, chosenProfile, findProfile, type Profile, readConfig } from '../session/profiles.ts'
import { findIssuer } from '../session/resource-metadata.ts'
import { VERSION } from '../version.ts'

const CLIENT_ID = 'agent-console-cli'
const IDENTITY_SCOPES = ['openid', 'profile', 'offline_access']

export const run: Run = async (context) => {
  const { io, options, timeoutMs, note } = context
  const paths = pathsOf(io)
  const config = await readConfig(paths)
  const name = chosenProfile(options.text('profile'), io.env, config)
  const known = findProfile(config, name)
  const asked = options.text('url') ?? io.env['AGENT_CONSOLE_URL']
  const url = asked ? readUrl(asked) : known?.url
  if (url === undefined)
    throw new UsageError('Give the address of the console: agent-console login --url URL')

  const storage = options.isOn('insecure-storage') ? 'file' : 'keyring'
  // Before the user logs in: a login that cannot be stored is lost work.
  const store = await openLoginStore(name, { storage, url }, paths)
  await store.read().catch((error: unknown) => {
    // A damaged login is about to be replaced.
    if (storage === 'keyring') throw error
  })

  const found = await findIssuer({ url, signal: io.signal, timeoutMs })
  const previous = known?.url === url ? known : undefined
  const resource = options.text('resource') ?? previous?.resource
  const profile: Profile = {
    url,
    issuer: options.text('issuer') ?? found.issuer,
    client_id: options.text('client-id') ?? previous?.client_id ?? CLIENT_ID,
    scope: options.text('scope') ?? previous?.scope ?? [...IDENTITY_SCOPES, ...found.scopes].join(' '),
    ...(resource !== undefined && { resource }),
    storage,
  }
  const isDevice = options.isOn('device') || !hasBrowser(io)
  const logIn = isDevice ? logInWithDevice : logInWithBrowser
  // Not a note: the user needs it, also with --quiet.
  const login = await logIn({ profile, io, timeoutMs, say: (text) => io.stderr.write(`${text}\n`) })

  const { Console } = await import('@agent-console/sdk')
  const client = new Console({
    ...{ baseUrl: url, token: login.access_token, timeoutMs },
    userAgent: `agent-console-cli/${VERSION}`,
  })
  const me = await client.me().catch((error: Error) => {
    throw new Failure(
      `The issuer accepted the login, but the console does not: ${error.message}`,
      EXIT.denied,
    )
  })
  await withLock(paths.lock(name), io.signal, async () => {
    // The login of another storage would stay behind.
    if (known) await forget(name, known, paths)
    await store.write(login)
  })
  await changeConfig(paths, io.signal, (newest) => ({
    current: name,
    profiles: { ...newest.profiles, [name]: profile },
  }))
  note(`Logged in. The login is in ${describeStorage(storage)}.`)
  const data = { profile: name, url, user_id: me.user_id, team_id: me.team_id, name: me.name, storage }
  return {
    data,
    names: [name],
    render: (style) =>
      renderPairs(
        [
          ['User', [oneLine(me.name ?? ''), me.user_id].filter(Boolean).join('  ')],
          ['Team', me.team_id],
          ['Console', url],
          ['Profile', name],
        ],
        style,
      ),
  }
}

async function forget(name: string, profile: Profile, paths: ReturnType<typeof pathsOf>): Promise<void> {
  const store = await openLoginStore(name, profile, paths).catch(() => undefined)
  await store?.remove().catch(() => undefined)
}

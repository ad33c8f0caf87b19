import type { Run } from '../context.ts'
import { UsageError } from '../failure.ts'
import { withLock } from '../session/lock.ts'
import { revoke } from '../session/log-in.ts'
import { openLoginStore } from '../session/login-store.ts'
import { pathsOf } from '../session/paths.ts'
import { chosenProfile, findProfile, readConfig } from '../session/profiles.ts'

export const run: Run = async ({ io, options, timeoutMs, note }) => {
  const paths = pathsOf(io)
  const config = await readConfig(paths)
  const name = chosenProfile(options.text('profile'), io.env, config)
  const profile = findProfile(config, name)
  if (!profile) throw new UsageError(`There is no profile ${name}.`)
  const store = await openLoginStore(name, profile, paths)
  const login = await withLock(paths.lock(name), io.signal, async () => {
    const stored = await store.read().catch(() => undefined)
    await store.remove()
    return stored
  })
  if (login) {
    await revoke({ profile, io, timeoutMs }, login).catch((error: Error) =>
      note(`The login is removed from this machine, but the issuer was not told: ${error.message}`),
    )
  }
  const data = { profile: name, was_logged_in: login !== undefined }
  return {
    data,
    names: [name],
    render: () => (login ? `Logged out of ${profile.url}` : `The profile ${name} has no login`),
  }
}

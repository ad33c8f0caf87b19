import type { Run } from '../context.ts'
import { UsageError } from '../failure.ts'
import { checkProfileName, pathsOf } from '../session/paths.ts'
import { changeConfig, findProfile, unknownProfile } from '../session/profiles.ts'

export const run: Run = async ({ io, args: [given = ''] }) => {
  const name = checkProfileName(given)
  await changeConfig(pathsOf(io), io.signal, (config) => {
    if (!findProfile(config, name)) throw new UsageError(unknownProfile(name, config))
    return { ...config, current: name }
  })
  return { data: { current: name }, names: [name], render: () => `The current profile is ${name}` }
}

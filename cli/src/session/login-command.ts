import type { Storage } from './profiles.ts'

/** What to run to log in to a profile again, with the login in the same place. */
export const loginCommand = (name = 'default', storage?: Storage): string =>
  [
    'agent-console login',
    ...(name === 'default' ? [] : [`--profile ${name}`]),
    ...(storage === 'file' ? ['--insecure-storage'] : []),
  ].join(' ')

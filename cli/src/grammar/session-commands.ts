import type { CommandEntry } from './types.ts'

export const SESSION_COMMANDS: readonly CommandEntry[] = [
  {
    path: 'login',
    summary: 'Log in to a console and store the login in a profile',
    details:
      'Opens the browser, or with --device shows a code to enter on another device. The login is stored in the keyring of ' +
      'the system. Where there is none, --insecure-storage stores it in a file that only you can read.',
    options: [
      { name: 'device', description: 'Log in on another device, with a code' },
      { name: 'insecure-storage', description: 'Store the login in a file instead of the keyring' },
      {
        name: 'issuer',
        value: 'URL',
        description: 'Issuer of the tokens. Default: the one that the console names',
      },
      { name: 'client-id', value: 'ID', description: 'Client at the issuer. Default: agent-console-cli' },
      {
        name: 'scope',
        value: 'SCOPES',
        description: 'Scopes to ask for, separated by spaces. Default: identity, refresh and all permissions',
      },
      { name: 'resource', value: 'URI', description: 'Resource to ask a token for, if the issuer needs it' },
    ],
    examples: [
      { line: 'login --url https://console.example.com', does: 'Log in with the browser' },
      {
        line: 'login --device',
        does: 'Log in again to the current profile, from a machine without a browser',
      },
      {
        line: 'login --profile staging --url https://staging.example.com',
        does: 'Add a second profile and make it the current one',
      },
    ],
  },
  {
    path: 'logout',
    summary: 'End the login of the profile',
    examples: [{ line: 'logout', does: 'Revoke the login at the issuer and remove it from this machine' }],
  },
  {
    path: 'whoami',
    summary: 'Show the user, the team, the permissions, and where the token comes from',
    examples: [
      { line: 'whoami', does: 'Check the login' },
      { line: 'whoami -o json', does: 'The same for a script' },
    ],
  },
  {
    path: 'profiles',
    summary: 'List the profiles',
    examples: [{ line: 'profiles', does: 'List the profiles; the current one has a star' }],
  },
  {
    path: 'profiles use',
    summary: 'Make a profile the current one',
    args: [{ name: 'NAME', description: 'Name of the profile', complete: 'profile' }],
    examples: [{ line: 'profiles use staging', does: 'Use the profile staging from now on' }],
  },
]

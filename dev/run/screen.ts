import { styleText } from 'node:util'

export interface Screen {
  apiUrl: string
  /** The folder of `npm run dev`, as a shell in this folder names it. */
  folder: string
  agentId: string
  revision: number
}

/** What is shown once everything runs. With the steps above it, it fits a terminal of 24 lines and 100 columns. No
 * command has a comment: zsh takes none in a terminal. */
export function renderScreen(
  { apiUrl, folder, agentId, revision }: Screen,
  stream: NodeJS.WriteStream,
): string {
  const bold = (text: string) => styleText('bold', text, { stream })
  const dim = (text: string) => styleText('dim', text, { stream })
  const lines = [
    '',
    `Open ${bold(`${apiUrl}/console/`)} and choose who you are.`,
    `The API reference is at ${bold(`${apiUrl}/docs`)}, the logs are in ${folder}/logs.`,
    'To try the API, open another terminal in this folder and paste:',
    `  export TOKEN=$(cat ${folder}/token) API=${apiUrl}/v1`,
    `  export AGENT=${agentId}`,
    '  api() { curl -sS --oauth2-bearer $TOKEN -H content-type:application/json $API/"$@"; echo; }',
    'Then list, watch, update, look back, undo, and ask how the agent evolves:',
    `  api 'agent-configurations?q=invoice'`,
    `  api agent-configurations/events -N &`,
    `  api agent-configurations/$AGENT -X PUT -H 'if-match: "${revision}"' -d '{"status": "draft"}'`,
    `  api agent-configurations/$AGENT/revisions`,
    `  api agent-configurations/$AGENT/revisions/${revision}/restore -X POST`,
    `  api evolution/status/$AGENT`,
    dim('Ctrl-C ends everything and keeps data and token. npm run dev -- --reset starts afresh.'),
  ]
  return `${lines.join('\n')}\n`
}

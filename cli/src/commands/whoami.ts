import type { Run } from '../context.ts'
import { oneLine } from '../output/safe-text.ts'
import { renderPairs } from '../output/table.ts'
import { describeStorage } from '../session/login-store.ts'

export const run: Run = async ({ connect, client }) => {
  const { url, profile, source, storage } = await connect()
  const me = await (await client()).me()
  const data = { ...me, url, profile: profile ?? null, token_source: source, storage: storage ?? null }
  return {
    data,
    names: [me.user_id],
    render: (style) =>
      renderPairs(
        [
          ['User', [oneLine(me.name ?? ''), me.user_id].filter(Boolean).join('  ')],
          ['Team', me.team_id],
          ['Permissions', me.permissions.join('\n')],
          ['Console', url],
          ['Profile', profile ?? ''],
          ['Token', storage ? `from ${describeStorage(storage)}` : `from ${source}`],
          ['Expires', style.time(me.expires_at)],
        ],
        style,
      ),
  }
}

import { createRevocations } from '../../src/http/auth/revocations.ts'
import { createLog } from '../../src/platform/observe/log.ts'
import { type Context, ok, problem, type Result, skipped } from './finding.ts'

/** Without the list, a replica that starts accepts no token. */
export async function checkRevocations({ config, now }: Context): Promise<Result[]> {
  const { revocationsUrl } = config.auth
  if (revocationsUrl === undefined) return [skipped('AUTH_REVOCATIONS_URL is not set')]
  const revocations = createRevocations({ url: revocationsUrl, now, log: createLog('silent') })
  await revocations.keepFresh()
  if (revocations.state() === 'up') return [ok(`the list of revocations has ${revocations.size()} entries`)]
  return [
    problem(
      `The list of revocations cannot be read: ${revocations.failure()?.message}.`,
      'Check AUTH_REVOCATIONS_URL: a replica that has never read the list answers 503.',
    ),
  ]
}

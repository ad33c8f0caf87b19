import { scheduleAt } from '../schedule.ts'

const CHECK_EVERY_MS = 1_000

/** Ends a stream when its token is no longer valid. Returns the function to call when the stream has ended by itself. */
export type EndWithToken = (token: string, expiresAt: number, end: () => void) => () => void

/** Verifies the tokens of open streams again and again: an issuer may withdraw a key, or revoke the token. While no stream
 * is open there is no timer. */
export function createEndWithToken(
  verify: (token: string) => Promise<unknown>,
  now: () => number,
): EndWithToken {
  const endsByToken = new Map<string, Set<() => void>>()
  let timer: NodeJS.Timeout | undefined
  let isChecking = false

  const endIfInvalid = async (token: string, ends: ReadonlySet<() => void>) => {
    const isValid = await verify(token).then(
      () => true,
      () => false,
    )
    if (!isValid) for (const end of ends) end()
  }
  const check = async () => {
    if (isChecking) return
    isChecking = true
    try {
      await Promise.all([...endsByToken].map(([token, ends]) => endIfInvalid(token, ends)))
    } finally {
      isChecking = false
    }
  }

  const add = (token: string, end: () => void) => {
    const ends = endsByToken.get(token) ?? new Set()
    endsByToken.set(token, ends.add(end))
    timer ??= setInterval(() => void check(), CHECK_EVERY_MS).unref()
  }
  const remove = (token: string, end: () => void) => {
    const ends = endsByToken.get(token)
    ends?.delete(end)
    if (ends?.size === 0) endsByToken.delete(token)
    if (endsByToken.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return (token, expiresAt, end) => {
    // A function of its own for each stream: two may share `end`.
    const endOnce = () => {
      release()
      end()
    }
    const expiry = scheduleAt(now, expiresAt * 1_000, endOnce)
    const release = () => {
      expiry.cancel()
      remove(token, endOnce)
    }
    add(token, endOnce)
    return release
  }
}

import { readFileSync } from 'node:fs'
import { decodeJwt } from 'jose'
import { requestToken } from '../issuer/token.ts'
import { type State, writeWhole } from './state.ts'

export const TOKEN_SECONDS = 12 * 3_600

/** The token in the file, where it is good for half of its life; else a new one, which is written there. */
export async function keepToken(state: State, issuerUrl: string): Promise<string> {
  const path = state.file('token')
  const known = readToken(path)
  if (known && (decodeJwt(known).exp ?? 0) - Date.now() / 1_000 > TOKEN_SECONDS / 2) return known
  const { user, team } = state.identity
  const token = await requestToken(issuerUrl, { user, team })
  writeWhole(path, token)
  return token
}

function readToken(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

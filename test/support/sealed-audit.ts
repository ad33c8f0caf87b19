import type { Client } from 'pg'
import { createSealStep, type SealStepOptions } from '../../src/audit/seals/seal-step.ts'
import { type Verification, type VerifyOptions, verifyAudit } from '../../src/audit/seals/verify.ts'
import type { Statements } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/observe/log.ts'
import { createSigner, parseSigningKeys, type Signer } from '../../src/platform/secrets/signer.ts'
import { signingKey } from './signing.ts'

const INT8 = 20

export const newSigner = (): Signer => createSigner(parseSigningKeys(signingKey()))

/** The statements of one connection, with numbers as the console reads them. */
export function statementsOf(client: Client): Statements {
  client.setTypeParser(INT8, Number)
  const send: Statements['read'] = async ({ text, values }) =>
    (await client.query(text, values)).rows as never
  return { read: send, write: send }
}

/** Seals everything that is older than so many minutes. Returns the number of runs. */
export async function sealUntil(
  sql: Statements,
  signer: Signer,
  minutesAgo: number,
  options: Partial<SealStepOptions> = {},
): Promise<number> {
  const step = createSealStep({
    ...{ signer, log: createLog('silent'), setSealedUntil: () => {} },
    ...{ graceMs: minutesAgo * 60_000, ...options },
  })
  let runs = 1
  while (await step(sql)) runs += 1
  return runs
}

export const verify = (
  sql: Statements,
  signer: Signer,
  options: Partial<VerifyOptions> = {},
): Promise<Verification> =>
  verifyAudit(sql, {
    ...{ keys: signer.publicKeys, retentionMonths: 0, nowMs: Date.now() },
    ...options,
  })

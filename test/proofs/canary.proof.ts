import { it } from 'node:test'
import { proveCanaries } from '../support/canary-proof.ts'

const AGENTS = Number(process.env['CANARIES'] ?? 20)

it(`the secrets of ${AGENTS} agents show in no place but the two that may show them`, (t) =>
  proveCanaries(AGENTS, (line) => t.diagnostic(line)))

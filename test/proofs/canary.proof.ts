import { it } from 'node:test'
import { proveCanaries } from '../support/canary-proof.ts'

const AGENTS = Number(process.env['CANARIES'] ?? 20)
const PLANTED = Number(process.env['PLANTED'] ?? 60)

it(`the secrets of ${AGENTS} agents show in no place but the two that may show them, and ${PLANTED} redacted credentials in none`, (t) =>
  proveCanaries({ agents: AGENTS, planted: PLANTED }, (line) => t.diagnostic(line)))

import { it } from 'node:test'
import { proveRotation } from '../support/rotation.ts'

const SECRETS = Number(process.env['ROTATED_SECRETS'] ?? 1_000)

it(`${SECRETS} secrets are sealed anew while others write, through two kills`, (t) =>
  proveRotation(SECRETS, (line) => t.diagnostic(line)))

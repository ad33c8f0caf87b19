import type { AgentResult } from '@agent-console/sdk'
import { useState } from 'react'
import { describe, isStatus } from '../../api/problem.ts'
import { writeSecret } from './actions.ts'

interface Write {
  /** Calls `done` with the new revision. If it did not work, `fault` says why. */
  write: (value: string | null, reason: string, done: (revision: number) => void) => Promise<void>
  busy: boolean
  fault: string | undefined
}

/** Changes a secret of the agent as `result` shows it. */
export function useWrite(result: AgentResult, path: string): Write {
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const write: Write['write'] = async (value, reason, done) => {
    setBusy(true)
    setFault(undefined)
    try {
      done(await writeSecret(result, path, value, reason.trim() || undefined))
    } catch (error) {
      setFault(faultOf(error))
    } finally {
      setBusy(false)
    }
  }
  return { write, busy, fault }
}

function faultOf(error: unknown): string {
  if (isStatus(error, 412)) {
    return 'Another user changed the agent meanwhile. Nothing was saved; look at it and save again.'
  }
  const { detail, code, requestId } = describe(error)
  return `${detail} (${code}${requestId === undefined ? '' : ` · req ${requestId}`})`
}

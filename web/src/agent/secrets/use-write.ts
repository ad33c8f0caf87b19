import type { AgentResult } from '@agent-console/sdk'
import { useState } from 'react'
import { describe, isStatus } from '../../api/problem.ts'
import { writeSecret } from './actions.ts'

interface Write {
  /** Resolves to the new revision, or to undefined if it did not work: `fault` then says why. */
  write: (value: string | null, reason?: string) => Promise<number | undefined>
  busy: boolean
  fault: string | undefined
}

/** Changes a secret of the agent as `result` shows it. */
export function useWrite(result: AgentResult, path: string): Write {
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const write = async (value: string | null, reason = ''): Promise<number | undefined> => {
    setBusy(true)
    setFault(undefined)
    try {
      return await writeSecret(result, path, value, reason.trim() || undefined)
    } catch (error) {
      setFault(faultOf(error))
      return undefined
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

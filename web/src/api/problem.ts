import { ApiError, ConnectionFailed, ConsoleError, TimedOut } from '@agent-console/sdk'
import { SessionEnded, SignInUnavailable } from '../auth/session.ts'
import type { Failure } from '../shared/ui/states.tsx'
import { toast } from '../shared/ui/toast.tsx'

/** The one place that turns an error into what a page shows. */
export function describe(error: unknown): Failure {
  if (error instanceof ApiError) {
    return {
      detail: error.detail === '' ? 'The console gave no reason.' : error.detail,
      code: [error.status, error.code].filter(Boolean).join(' '),
      requestId: error.requestId,
    }
  }
  const requestId = error instanceof ConsoleError ? error.requestId : undefined
  if (error instanceof TimedOut) {
    return { detail: 'The console did not answer in time.', code: 'timed out', requestId }
  }
  if (error instanceof ConnectionFailed) {
    return {
      detail: 'The console could not be reached. Check your connection.',
      code: 'connection failed',
      requestId,
    }
  }
  if (error instanceof SessionEnded) {
    return {
      detail: 'Your sign-in has ended. Sign in again; drafts are kept.',
      code: 'signed out',
      requestId,
    }
  }
  if (error instanceof SignInUnavailable) {
    return {
      detail: 'The sign-in service cannot be reached. Try again.',
      code: `issuer_unavailable · ${error.message}`,
      requestId,
    }
  }
  return { detail: 'This page has a fault. Reload it.', code: nameOf(error), requestId }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

/** For an action that failed: a toast that stays, with what to tell support. */
export function toastFailure(what: string, error: unknown): void {
  const { detail, code, requestId } = describe(error)
  const request = requestId === undefined ? '' : ` · req ${requestId}`
  toast({ text: `${what}: ${detail} (${code}${request})`, fault: true })
}

export function isStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status
}

export interface SignInFailure {
  title: string
  detail: string
  /** For a support request. */
  code: string
}

/** What a failed sign-in tells the user. The issuer's own description is shown: only it knows the cause. */
export function describeSignInFailure(error: unknown): SignInFailure {
  const name = error instanceof Error ? error.name : 'Error'
  const message = error instanceof Error ? error.message : String(error)
  if (name === 'ErrorResponse') {
    return {
      title: 'The sign-in was refused',
      detail: `The sign-in service answered: ${message}. Try again, or ask your administrator.`,
      code: 'sign_in_refused',
    }
  }
  if (message.startsWith('No matching state')) {
    return {
      title: 'This sign-in has expired',
      detail: 'It was begun in another tab or too long ago. Begin again; nothing was changed.',
      code: 'sign_in_state_unknown',
    }
  }
  return {
    title: 'The sign-in service does not answer',
    detail: 'Your agents are not affected. Try again in a moment.',
    code: `issuer_unavailable · ${message}`,
  }
}

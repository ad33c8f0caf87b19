import type { Configuration } from 'oidc-provider'
import { confirmCode, enterCode, message, sendPage } from './page.ts'

/** The pages of the device flow (RFC 8628): a program shows a code, and a person enters it here. */
export const deviceFlow: NonNullable<NonNullable<Configuration['features']>['deviceFlow']> = {
  enabled: true,
  userCodeInputSource: (ctx, form, _parameters, error) => sendPage(ctx, enterCode(form, textOf(error))),
  userCodeConfirmSource: (ctx, form, client, _device, code) =>
    sendPage(ctx, confirmCode(form, client.clientName ?? client.clientId, code)),
  successSource: (ctx) => sendPage(ctx, message('You are signed in', 'Go back to the terminal.')),
}

function textOf(error: Error | undefined): string {
  if (!error) return 'Enter the code that the terminal shows.'
  return error.name === 'AbortedError' ? 'The sign-in was cancelled.' : 'There is no such code. Try again.'
}

import buttonStyles from '../shared/ui/button.module.css'
import { join } from '../shared/ui/class-names.ts'
import markStyles from '../shared/ui/mark.module.css'
import styles from './sign-in.module.css'

type SignInView =
  | { state: 'signing-in' }
  | { state: 'signed-out'; signIn: () => unknown }
  | { state: 'no-team'; name: string | null; signOut: () => unknown }
  | { state: 'refused'; failure: ConsoleFailure; signOut: () => unknown }
  | { state: 'failed'; error: unknown; signIn: () => unknown }
  | { state: 'console-down'; failure: ConsoleFailure; retry: () => unknown }

interface ConsoleFailure {
  detail: string
  code: string
  requestId: string | undefined
}

/** The pages before the application: plain DOM, because React is not loaded yet. */
export function showSignIn(view: SignInView): void {
  const root = document.getElementById('root')
  const panel = element('main', styles.panel, [mark(), ...contentOf(view)])
  root?.replaceChildren(element('div', styles.signIn, [panel]))
}

function contentOf(view: SignInView): Node[] {
  if (view.state === 'signing-in') {
    const status = element('p', 't2', ['Opening the sign-in page of your organisation.'])
    status.setAttribute('role', 'status')
    return [element('h1', '', ['Signing in']), status, element('div', styles.progress, [])]
  }
  if (view.state === 'signed-out') {
    return [
      element('h1', '', ['You are signed out']),
      element('p', 't2', ['Nothing of your session is kept in this browser.']),
      button('Sign in', view.signIn),
    ]
  }
  if (view.state === 'no-team') {
    const who = view.name === null ? 'This account' : view.name
    return [
      element('h1', '', ['You belong to no team yet']),
      element('p', 't2', [
        `${who} is signed in, but the sign-in names no team. Agents belong to teams: ` +
          'ask the owner of a team to add you, then sign in again.',
      ]),
      button('Sign in as someone else', view.signOut),
      element('p', 'mono t3', ['403 team_missing']),
    ]
  }
  if (view.state === 'refused') {
    return [
      element('h1', '', ['The console refuses this sign-in']),
      element('p', 't2', [view.failure.detail]),
      button('Sign in as someone else', view.signOut),
      codeOf(view.failure),
    ]
  }
  if (view.state === 'console-down') {
    return [
      element('h1', '', ['The console does not answer']),
      element('p', 't2', [`You are signed in. ${view.failure.detail}`]),
      button('Try again', view.retry),
      codeOf(view.failure),
    ]
  }
  const failure = describeSignInFailure(view.error)
  return [
    element('h1', '', [failure.title]),
    element('p', 't2', [failure.detail]),
    button('Try again', view.signIn),
    element('p', 'mono t3', [failure.code]),
  ]
}

function codeOf({ code, requestId }: ConsoleFailure): HTMLElement {
  return element('p', 'mono t3', [requestId === undefined ? code : `${code} · req ${requestId}`])
}

function button(label: string, act: () => unknown): HTMLElement {
  const made = element('button', join(buttonStyles.button, buttonStyles.primary, buttonStyles.large), [label])
  made.setAttribute('type', 'button')
  made.addEventListener('click', () => void act())
  return made
}

function element(name: string, className: string | undefined, children: (Node | string)[]): HTMLElement {
  const made = document.createElement(name)
  if (className) made.className = className
  made.append(...children)
  return made
}

function mark(): HTMLElement {
  const image = document.createElement('img')
  image.src = '/console/mark.svg'
  image.alt = ''
  image.className = markStyles.mark ?? ''
  return element('p', styles.brand, [image, 'Agent Console'])
}

interface SignInFailure {
  title: string
  detail: string
  /** For a support request. */
  code: string
}

/** What a failed sign-in tells the user. The issuer's own description is shown: only it knows the cause. */
function describeSignInFailure(error: unknown): SignInFailure {
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

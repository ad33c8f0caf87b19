import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { DemoPerson } from '../people.ts'

const STYLE = readFileSync(new URL('./page.css', import.meta.url), 'utf8')
const SUBMIT = 'document.forms[0].requestSubmit()'

const sha256 = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`

/** Without `form-action`: Chromium applies it to the redirects after a form, too, and those lead to the console. */
const CONTENT_SECURITY_POLICY =
  `default-src 'none'; style-src ${sha256(STYLE)}; script-src ${sha256(SUBMIT)}; ` +
  "base-uri 'none'; frame-ancestors 'none'"

type PageContext = Pick<KoaContextWithOIDC, 'set' | 'body' | 'type' | 'status'>

interface Page {
  title: string
  /** HTML. */
  content: string
}

export function sendPage(ctx: PageContext, { title, content }: Page): void {
  ctx.set('content-security-policy', CONTENT_SECURITY_POLICY)
  ctx.set('cache-control', 'no-store')
  ctx.set('referrer-policy', 'no-referrer')
  ctx.set('x-content-type-options', 'nosniff')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(title)}</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <header>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8"/>
          <path d="M9 11l5 5-5 5M17 21h6" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/>
        </svg>
        Agent Console
      </header>
      <h1>${escape(title)}</h1>
      ${content}
    </main>
  </body>
</html>
`
}

/** One button for each person: a click signs in. */
export const choosePerson = (people: readonly DemoPerson[], action: string): Page => ({
  title: 'Sign in',
  content: `<p>Choose who you are. There is no password.</p>
      <form method="post" action="${escape(action)}">
        <ul>
${people.map(renderPerson).join('\n')}
        </ul>
      </form>
      <footer>The development issuer. It trusts everyone, so it runs on your machine only.</footer>`,
})

/** `form` is the provider's form, with the token against requests from other sites. The script spares a click. */
export const signOut = (form: string): Page => ({
  title: 'Sign out',
  content: `<p>Ends your session at the development issuer.</p>
      ${withButtons(form, '<input type="hidden" name="logout" value="yes"><button class="primary">Sign out</button>')}
      <script>${SUBMIT}</script>`,
})

/** `form` is the provider's form with the field, without a button. Its handler of `onfocus` would need a script policy. */
export const enterCode = (form: string, text: string): Page => ({
  title: 'Sign in with a code',
  content: `<p>${escape(text)}</p>
      ${withButtons(form.replace(/ onfocus="[^"]*"/, ''), '<button class="primary">Continue</button>')}`,
})

export const confirmCode = (form: string, client: string, code: string): Page => ({
  title: 'Is this your code?',
  content: `<p>${escape(client)} asks to sign in as you.</p>
      <code>${escape(code)}</code>
      ${withButtons(form, '<button class="primary">Yes, sign in</button> <button name="abort" value="yes">No</button>')}`,
})

const withButtons = (form: string, buttons: string) => form.replace('</form>', `${buttons}</form>`)

export const message = (title: string, text: string): Page => ({ title, content: `<p>${escape(text)}</p>` })

const renderPerson = ({ key, name, role }: DemoPerson) => `          <li>
            <button class="person" name="person" value="${key}">
              <span class="avatar" aria-hidden="true">${escape(initials(name))}</span>
              <span><span class="name">${escape(name)}</span><span class="role">${escape(role)}</span></span>
              <span class="arrow" aria-hidden="true">→</span>
            </button>
          </li>`

const initials = (name: string) => name.replace(/[^A-Z]/g, '')

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

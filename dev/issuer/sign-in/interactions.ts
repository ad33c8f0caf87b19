import { text } from 'node:stream/consumers'
import type { Provider } from 'oidc-provider'
import type { DemoPerson } from '../people.ts'
import { choosePerson, message, sendPage } from './page.ts'

export const interactionPath = (uid: string) => `/interaction/${uid}`

/** Serves the sign-in page, and signs in the person whose button is clicked. */
export function registerInteractions(provider: Provider, people: readonly DemoPerson[]): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith(interactionPath(''))) return next()
    if (!(await isOpen(provider, ctx))) {
      ctx.status = 400
      return sendPage(ctx, message('This sign-in has expired', 'Go back to the console and sign in again.'))
    }
    const person = ctx.method === 'POST' ? findPerson(people, await text(ctx.req)) : undefined
    if (!person) return sendPage(ctx, choosePerson(people, ctx.path))
    ctx.respond = false
    // Native clients ask for consent, too.
    return provider.interactionFinished(ctx.req, ctx.res, {
      login: { accountId: person.user },
      consent: {},
    })
  })
}

const findPerson = (people: readonly DemoPerson[], form: string) =>
  people.find(({ key }) => key === new URLSearchParams(form).get('person'))

/** False if the browser has no cookie of the interaction, or the interaction has ended. */
async function isOpen(provider: Provider, { req, res }: Parameters<Middleware>[0]): Promise<boolean> {
  try {
    await provider.interactionDetails(req, res)
    return true
  } catch {
    return false
  }
}

type Middleware = Parameters<Provider['use']>[0]

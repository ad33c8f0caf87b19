import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { api, connect, queryClient } from './api/client.ts'
import { describe, isStatus } from './api/problem.ts'
import { type Me, MeContext, SessionContext } from './auth/permissions.ts'
import type { Session } from './auth/session.ts'
import { showSignIn } from './auth/sign-in-page.ts'
import { rejoin, startLive } from './live/tabs.ts'
import { router } from './routes.tsx'

/** Called by the entry once a user is signed in. */
export async function start(session: Session): Promise<void> {
  connect(session)
  const me = await readMe(session)
  const root = document.getElementById('root')
  if (me === undefined || root === null) return
  root.replaceChildren()
  if (me.permissions.includes('agent:read')) {
    startLive(me)
    session.onEnded((ended) => {
      if (!ended) rejoin()
    })
  }
  createRoot(root).render(
    // Style elements would be refused by the policy of the page.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <SessionContext value={session}>
          <MeContext value={me}>
            <RouterProvider router={router} />
          </MeContext>
        </SessionContext>
      </QueryClientProvider>
    </CSPProvider>,
  )
}

/** undefined: a page of its own says why the user gets no further. */
async function readMe(session: Session): Promise<Me | undefined> {
  try {
    return await api().me()
  } catch (error) {
    const failure = describe(error)
    const signOut = () => session.signOut()
    if (!isStatus(error, 403)) {
      showSignIn({ state: 'console-down', failure, retry: () => void start(session) })
    } else if (error.code === 'team_missing') showSignIn({ state: 'no-team', name: null, signOut })
    else showSignIn({ state: 'refused', failure, signOut })
    return undefined
  }
}

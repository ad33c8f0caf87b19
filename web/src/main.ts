import './shared/styles/tokens.css'
import './shared/styles/fonts.css'
import './shared/styles/base.css'
import { createSession, readConfig } from './auth/session.ts'
import { showSignIn } from './auth/sign-in-page.ts'
import { applyTheme } from './shared/theme.ts'

// Only what is needed before the redirect to the issuer. The application follows after sign-in, so that
// its code is not run twice.
applyTheme()
try {
  const session = createSession(await readConfig())
  if (session.isSignedOutPage()) {
    showSignIn({ state: 'signed-out', signIn: () => session.signIn('/console/agents') })
  } else if (await session.resume()) {
    const { start } = await import('./app.tsx')
    await start(session)
  } else {
    showSignIn({ state: 'signing-in' })
    await session.signIn()
  }
} catch (error) {
  showSignIn({ state: 'failed', error, signIn: () => location.reload() })
}

import '../src/shared/styles/tokens.css'
import '../src/shared/styles/fonts.css'
import '../src/shared/styles/base.css'
import { createRoot } from 'react-dom/client'
import { applyTheme } from '../src/shared/theme.ts'
import { join } from '../src/shared/ui/class-names.ts'
import pageStyles from '../src/shared/ui/page.module.css'
import { PageHead } from '../src/shared/ui/page.tsx'
import { ToastRegion } from '../src/shared/ui/toast.tsx'
import { BadgesSection } from './badges.tsx'
import { ControlsSection } from './controls.tsx'
import { DataSection } from './data.tsx'
import { DiffSection } from './diff.tsx'
import styles from './gallery.module.css'
import { OverlaysSection } from './overlays.tsx'
import { StatesSection } from './states.tsx'

/** Every component in every state, to look at in both themes and at every width. Only the development server has this
 * page: `npx vite web`, then /console/gallery/. */
const root = document.getElementById('root')
applyTheme()
if (root !== null) {
  createRoot(root).render(
    <main className={join(pageStyles.page, pageStyles.onCanvas)}>
      <PageHead title="Components" note="every state, in the theme that is on" />
      <div className={styles.components}>
        <StatesSection />
        <BadgesSection />
        <ControlsSection />
        <DataSection />
        <DiffSection />
        <OverlaysSection />
      </div>
      <ToastRegion />
    </main>,
  )
}

import './components.css'
import type { ReactElement } from 'react'
import { PageHead } from '../shared/ui/page.tsx'
import { BadgesSection } from './badges.tsx'
import { ControlsSection } from './controls.tsx'
import { DataSection } from './data.tsx'
import { DiffSection } from './diff.tsx'
import { OverlaysSection } from './overlays.tsx'
import { StatesSection } from './states.tsx'

/** Every component in every state, to look at in both themes and at every width. */
export function ComponentsPage(): ReactElement {
  return (
    <div className="page on-canvas">
      <PageHead title="Components" note="every state, in the theme that is on" />
      <div className="components">
        <StatesSection />
        <BadgesSection />
        <ControlsSection />
        <DataSection />
        <DiffSection />
        <OverlaysSection />
      </div>
    </div>
  )
}

import type { ReactElement } from 'react'
import { Card } from '../../shared/ui/page.tsx'

export function EvolutionPage(): ReactElement {
  return (
    <div className="pad">
      <Card title="Evolution">…</Card>
    </div>
  )
}

import type { ReactElement } from 'react'
import { Card } from '../../shared/ui/page.tsx'

export function OverviewPage(): ReactElement {
  return (
    <div className="pad">
      <Card title="Overview">…</Card>
    </div>
  )
}

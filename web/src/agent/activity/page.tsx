import type { ReactElement } from 'react'
import { Card } from '../../shared/ui/page.tsx'

export function ActivityPage(): ReactElement {
  return (
    <div className="pad">
      <Card title="Activity">…</Card>
    </div>
  )
}

import type { ReactElement } from 'react'
import { Card } from '../../shared/ui/page.tsx'

export function HistoryPage(): ReactElement {
  return (
    <div className="pad">
      <Card title="History">…</Card>
    </div>
  )
}

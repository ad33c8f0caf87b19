import type { ReactElement } from 'react'
import { Card } from '../../shared/ui/page.tsx'

export function ScoresPage(): ReactElement {
  return (
    <div className="pad">
      <Card title="Scores">…</Card>
    </div>
  )
}

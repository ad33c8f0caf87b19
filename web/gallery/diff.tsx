import type { ReactElement } from 'react'
import { DiffField } from '../src/shared/ui/diff.tsx'
import { Icon } from '../src/shared/ui/icon.tsx'
import { Card } from '../src/shared/ui/page.tsx'

const BEFORE = `Du nimmst Schadenmeldungen für Großschaden und Kasko
in Österreich auf. Antworte auf Deutsch, höflich, in
höchstens sechs Sätzen.

- Frage nach Polizzennummer, Datum und Ort.
- Nenne nie eine Deckungszusage und keinen Betrag.
- Bei Personenschaden frage nach einer Rückrufnummer.
- Schließe mit der Fallnummer im Format AT-####-##.`

const AFTER = BEFORE.replace('sechs', 'vier').replace(
  'frage nach einer Rückrufnummer',
  'übergib sofort an „Notfall-Desk AT“',
)

export function DiffSection(): ReactElement {
  return (
    <Card title="Diff: fields, then lines, then words" flush>
      <DiffField label="System prompt" behaviour before={BEFORE} after={AFTER} />
      <DiffField label="Max tokens" behaviour before={2048} after={4096} />
      <DiffField label="Purpose" before={null} after="Takes first notice of loss" />
      <DiffField
        label="Endpoint"
        behaviour
        note={
          <span className="bd sm danger-t">
            <Icon name="alert" size="xs" />
            has a fault
          </span>
        }
        before="https://claims.example.at/v2/intake"
        after="http://claims.intern/v2/intake"
      />
    </Card>
  )
}

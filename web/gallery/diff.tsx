import type { ReactElement } from 'react'
import { TextDiff } from '../src/shared/ui/diff.tsx'
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
    <Card title="Diff: lines, then words" flush>
      <TextDiff before={BEFORE} after={AFTER} />
      <TextDiff before={BEFORE} after={AFTER} mode="side" />
    </Card>
  )
}

import { type ReactElement, useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { toastFailure } from '../api/problem.ts'
import { formatCount, plural } from '../shared/numbers.ts'
import { nowSeconds } from '../shared/time.ts'
import { Button } from '../shared/ui/button.tsx'
import { toast } from '../shared/ui/toast.tsx'
import { type AuditSearch, toFilters } from './search.ts'

/** Events between two announcements of the count. */
const STEP = 500
const RELEASE_MS = 60_000

/** All events that match, oldest first, one JSON text a line. The export itself is recorded in the log. */
export function ExportButton({ search }: { search: AuditSearch }): ReactElement {
  const [count, setCount] = useState<number>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const run = async (): Promise<void> => {
    const controller = new AbortController()
    running.current = controller
    setCount(0)
    try {
      const lines: string[] = []
      // Without an end the console leaves out the newest events, for clients that continue an export later.
      const filters = { until: nowSeconds() + 1, ...toFilters(search) }
      for await (const event of api().audit.export(filters, { signal: controller.signal })) {
        lines.push(`${JSON.stringify(event)}\n`)
        if (lines.length % STEP === 0) setCount(lines.length)
      }
      save(
        new Blob(lines, { type: 'application/x-ndjson' }),
        `audit-${new Date().toISOString().slice(0, 10)}.ndjson`,
      )
      toast({ text: `${plural(lines.length, 'event')} exported` })
    } catch (error) {
      if (controller.signal.aborted) toast({ text: 'Export cancelled' })
      else toastFailure('The export failed', error)
    } finally {
      setCount(undefined)
    }
  }

  return count === undefined ? (
    <Button icon="download" onClick={() => void run()}>
      <span>
        Export <span className="col-mid">NDJSON</span>
      </span>
    </Button>
  ) : (
    <Button icon="close" onClick={() => running.current?.abort()}>
      Cancel the export · {formatCount(count)}
    </Button>
  )
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the address after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(url), RELEASE_MS)
}

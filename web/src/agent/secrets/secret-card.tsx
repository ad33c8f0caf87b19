import type { AgentDiff, AgentResult, AgentRevision } from '@agent-console/sdk'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api, keys } from '../../api/client.ts'
import { toastFailure } from '../../api/problem.ts'
import { useOff } from '../../auth/permissions.ts'
import { formatDate, formatUtc, nowSeconds, plural } from '../../shared/format.ts'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { toast } from '../../shared/ui/toast.tsx'
import { personName } from '../../shared/words.ts'
import { fieldOf } from '../fields/labels.ts'
import { diffRows } from '../history/diff-rows.ts'
import { ClearDialog, ReplaceForm } from './forms.tsx'
import { SecretValue, useReveal } from './reveal.tsx'
import styles from './secrets.module.css'
import { nameOf, readSecret, type SecretPart } from './secrets.ts'

const DAY = 24 * 3600

interface SecretCardProps {
  result: AgentResult
  secret: SecretPart
}

export function SecretCard({ result, secret }: SecretCardProps): ReactElement {
  const { id } = result.agent
  const { path, label, mask } = secret
  const [open, setOpen] = useState<'replace' | 'clear'>()
  const [busy, setBusy] = useState(false)
  const reveal = useReveal()
  const mayNotRead = useOff('agent:secret')
  const mayNotWrite = useOff('agent:write')
  const waits = busy && 'The request is running'
  const setter = useQuery({ ...setterQuery(id, secret), enabled: mask !== null }).data

  const run = async (what: string, act: () => Promise<void>): Promise<void> => {
    setBusy(true)
    try {
      await act()
    } catch (error) {
      toastFailure(what, error)
    } finally {
      setBusy(false)
    }
  }
  const show = (): Promise<void> => run('Not revealed', async () => reveal.show(await readSecret(id, path)))
  const copy = (): Promise<void> =>
    run('Not copied', async () => {
      await copyLater(reveal.value === undefined ? readSecret(id, path) : Promise.resolve(reveal.value))
      toast({ text: `${label} copied. The audit log has an entry.` })
    })
  return (
    <section className={pageStyles.card} aria-label={label}>
      <header className={pageStyles.wrappingHead}>
        <Icon name="key" size="s" />
        <h2>{label}</h2>
        <span className="mono t3 cut">{path}</span>
        <span className="sp" />
        {setter == null ? null : (
          <span className="sm t3" title={formatUtc(setter.changed_at)}>
            set by {personName(setter.changed_by_name, setter.changed_by)}, {formatDate(setter.changed_at)}
          </span>
        )}
      </header>
      <div className={join(pageStyles.inset, 'col col-3')}>
        <SecretValue mask={mask} reveal={reveal} />
        <div className={join(styles.actions, 'row wrap')}>
          {reveal.value !== undefined ? (
            <span className="row sm t2">
              <Icon name="eye" size="s" className="warn-t" />
              Shown until the ring is empty, or until you leave this tab
            </span>
          ) : (
            <span className="sm t3">{setter == null || mask === null ? '' : age(setter.changed_at)}</span>
          )}
          <span className="sp" />
          {mask === null ? null : (
            <>
              {reveal.value === undefined ? (
                <Button icon="eye" off={mayNotRead || waits} onClick={() => void show()}>
                  Reveal for 30 s
                </Button>
              ) : (
                <Button icon="eyeOff" onClick={reveal.hide}>
                  Hide now
                </Button>
              )}
              <Button icon="copy" off={mayNotRead || waits} onClick={() => void copy()}>
                {reveal.value === undefined ? 'Copy without showing' : 'Copy'}
              </Button>
            </>
          )}
          <Button
            icon={mask === null ? 'add' : 'retry'}
            off={mayNotWrite}
            {...(open === 'replace' ? { on: true } : {})}
            onClick={() => setOpen(open === 'replace' ? undefined : 'replace')}
          >
            {mask === null ? 'Set' : 'Replace'}
          </Button>
          {mask === null ? null : (
            <Button variant="danger" off={mayNotWrite} onClick={() => setOpen('clear')}>
              {nameOf(path) === undefined ? 'Clear' : 'Delete'}
            </Button>
          )}
        </div>
        {open === 'replace' ? (
          <ReplaceForm
            result={result}
            secret={secret}
            onDone={() => {
              reveal.hide()
              setOpen(undefined)
            }}
            onCancel={() => setOpen(undefined)}
          />
        ) : null}
      </div>
      {open === 'clear' ? (
        <ClearDialog result={result} secret={secret} onClose={() => setOpen(undefined)} />
      ) : null}
    </section>
  )
}

function age(setAt: number): string {
  const days = Math.floor((nowSeconds() - setAt) / DAY)
  return days === 0 ? 'set today' : `${plural(days, 'day')} old`
}

/** Older revisions are not searched. */
const SEARCHED = 500
/** Revisions of `white_box_config` that are read to find the one which changed its token. */
const MAX_DIFFS = 8

/** Who set the secret and when. null: longer ago than the search goes back. */
function setterQuery(id: string, { path, mask, revision }: SecretPart) {
  return queryOptions({
    queryKey: [...keys.one(id), 'secret-setter', path, revision ?? mask],
    queryFn: async ({ signal }): Promise<AgentRevision | null> => {
      const { results } = await api().agents.revisions(id, { limit: SEARCHED }, { signal })
      if (revision !== undefined) return results.find((each) => each.revision === revision) ?? null
      const field = fieldOf(path)
      const candidates = results.filter(
        ({ action, fields }) => action === 'created' || fields.includes(field),
      )
      if (field === path) return candidates[0] ?? null
      for (const candidate of candidates.slice(0, MAX_DIFFS)) {
        if (candidate.revision === 1) return candidate
        const diff = await api().agents.diff(id, candidate.revision, {}, { signal })
        if (changes(diff, path)) return candidate
      }
      return null
    },
  })
}

function changes(diff: AgentDiff, path: string): boolean {
  return diffRows(diff.changes).some((row) => row.path === path)
}

/**
 * Copies a text that is still being fetched. Browsers allow copying only right after a click; a clipboard item
 * may be filled later.
 */
async function copyLater(text: Promise<string>): Promise<void> {
  // The clipboard hides the reason of a failure, so that the text is awaited as well.
  const blob = text.then((each) => new Blob([each], { type: 'text/plain' }))
  const copied = navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
  copied.catch(() => undefined)
  await text
  await copied
}

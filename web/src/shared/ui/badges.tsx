import type { ReactElement, ReactNode } from 'react'
import { formatScore, plural } from '../format.ts'
import { EVALUATION, PROTECTION, STAGES, STATUS, stageNumber, words } from '../words.ts'
import styles from './badges.module.css'
import { join } from './class-names.ts'
import { PROTECTION_GLYPHS, STATE_GLYPHS, STATUS_GLYPHS, stageBars } from './glyphs.tsx'
import { Icon, type IconProps } from './icon.tsx'

type Pill = boolean | 'warn' | 'danger' | 'accent'

interface BadgeProps {
  glyph?: ReactNode
  /** Plain in tables, a pill in headers. */
  pill?: Pill
  /** The word is for screen readers only: for cards of the board. */
  glyphOnly?: boolean
  className?: string | undefined
  children: ReactNode
}

const PILLS = { warn: styles.warn, danger: styles.danger, accent: styles.accent }

export function Badge({
  glyph,
  pill = false,
  glyphOnly = false,
  className,
  children,
}: BadgeProps): ReactElement {
  return (
    <span
      className={join(
        styles.badge,
        pill !== false && styles.pill,
        typeof pill === 'string' && PILLS[pill],
        pill !== false && glyph === undefined && styles.plain,
        className,
      )}
    >
      {glyph}
      {glyphOnly ? <span className="hid">{children}</span> : children}
    </span>
  )
}

interface ValueProps<Value> {
  value: Value
  pill?: boolean
  glyphOnly?: boolean
}

export function StatusBadge({ value, ...rest }: ValueProps<string>): ReactElement {
  return (
    <Badge glyph={<StatusGlyph value={value} />} {...rest}>
      {words(STATUS, value)}
    </Badge>
  )
}

export function StageBadge({ value, ...rest }: ValueProps<string>): ReactElement {
  return (
    <Badge glyph={<StageGlyph value={value} />} {...rest}>
      {words(STAGES, value)}
    </Badge>
  )
}

export function ProtectionBadge({ value, ...rest }: ValueProps<string>): ReactElement {
  return (
    <Badge glyph={<ProtectionGlyph value={value} />} {...rest}>
      {words(PROTECTION, value)}
    </Badge>
  )
}

export function StatusGlyph({ value }: { value: string }): ReactElement {
  return <Glyph glyph={STATUS_GLYPHS[value]} />
}

export function ProtectionGlyph({ value }: { value: string }): ReactElement {
  return <Glyph glyph={PROTECTION_GLYPHS[value]} />
}

export type ServiceState = 'ok' | 'half' | 'warning' | 'failed' | 'starting' | 'off'

export function StateGlyph({ value }: { value: ServiceState }): ReactElement {
  return <Glyph glyph={STATE_GLYPHS[value]} />
}

export function StageGlyph({ value }: { value: string }): ReactElement {
  const stage = stageNumber(value)
  return (
    <svg className={`sg stage st${stage}`} viewBox="0 0 16 16" aria-hidden="true">
      {stageBars(stage)}
    </svg>
  )
}

function Glyph({ glyph }: { glyph: { tone: string; shape: ReactElement } | undefined }): ReactElement {
  return (
    <svg className={join('sg', glyph?.tone ?? 'g-mute')} viewBox="0 0 16 16" aria-hidden="true">
      {glyph?.shape ?? <circle cx="8" cy="8" r="2" fill="currentColor" />}
    </svg>
  )
}

interface ScoreProps {
  /** null or undefined: never evaluated. */
  value: number | null | undefined
  /** Revisions since the evaluation that changed the agent's behaviour; 0: the score still holds. */
  behind: number | undefined
  /** The score no longer holds, for callers that do not know by how many revisions. */
  outdated?: boolean
}

export function Score({ value, behind, outdated = (behind ?? 0) > 0 }: ScoreProps): ReactElement {
  if (value === null || value === undefined) return <Absent label="Never evaluated" />
  if (!outdated) {
    return (
      <span className={styles.score}>
        <span className={styles.value}>{formatScore(value)}</span>
        <Icon name="check" size="xs" className="ok-t" label="holds" />
      </span>
    )
  }
  return (
    <span className={join(styles.score, styles.old)}>
      <span className={styles.value}>{formatScore(value)}</span>
      <span className={join(styles.badge, 'xs warn-t')}>
        <Icon
          name="clock"
          size="xs"
          label={behind === undefined ? 'outdated' : `outdated, ${plural(behind, 'revision')} behind`}
        />
        {behind === undefined ? null : <span aria-hidden="true">−{behind}</span>}
      </span>
    </span>
  )
}

/** An absent value. */
export function Absent({ label = 'None' }: { label?: string }): ReactElement {
  return (
    <span className="t3" role="img" aria-label={label}>
      —
    </span>
  )
}

/** Marks what bears on the behaviour of an agent: changing it outdates the evaluation. */
export function BehaviourMark({ word = false }: { word?: boolean }): ReactElement {
  return (
    <span className={styles.behaviour}>
      <svg className={join(styles.diamond, 'i-xs')} viewBox="0 0 12 12" aria-hidden="true">
        <path d="M6 .9 11.1 6 6 11.1.9 6z" fill="currentColor" />
      </svg>
      <span {...(word ? {} : { className: 'hid' })}>bears on behaviour</span>
    </span>
  )
}

const GLYPHS: Record<string, { icon: IconProps['name']; tone: string }> = {
  current: { icon: 'check', tone: 'ok-t' },
  outdated: { icon: 'clock', tone: 'warn-t' },
}
const NO_GLYPH = { icon: 'minus', tone: 't2' } as const

interface EvaluationBadgeProps {
  /** As the API names it: current, outdated, none. */
  value: string
  pill?: 'warn'
  className?: string | undefined
  /** Continues the word: since when, by what. */
  children?: ReactNode
}

/** Whether the latest evaluation still holds. */
export function EvaluationBadge({ value, pill, className, children }: EvaluationBadgeProps): ReactElement {
  const { icon, tone } = GLYPHS[value] ?? NO_GLYPH
  return (
    <Badge
      glyph={<Icon name={icon} size="s" />}
      className={join(tone, className)}
      {...(pill === undefined ? {} : { pill })}
    >
      <span>
        {words(EVALUATION, value)}
        {children}
      </span>
    </Badge>
  )
}

interface AvatarProps {
  /** null: the name is not known; the avatar shows a figure. */
  name: string | null
  kind?: 'person' | 'service'
  large?: boolean
  /** The name does not stand beside it: screen readers read it here. */
  alone?: boolean
}

/** Round for people, square for services. */
export function Avatar(props: AvatarProps): ReactElement {
  const { name, kind = 'person', large = false, alone = false } = props
  const title = name ?? 'Unknown'
  return (
    <span
      className={join(styles.avatar, large && styles.large, kind === 'service' && styles.service)}
      title={title}
      {...(alone ? { role: 'img', 'aria-label': title } : { 'aria-hidden': true })}
    >
      {kind === 'service' ? (
        <Icon name="services" size="xs" />
      ) : (
        (initials(name) ?? <Icon name="person" size="xs" />)
      )}
    </span>
  )
}

function initials(name: string | null): string | undefined {
  const parts = (name ?? '').split(/[\s.@_-]+/).filter((part) => /^\p{L}/u.test(part))
  const letters = [parts[0], parts.length > 1 ? parts.at(-1) : undefined].map((part) => part?.charAt(0) ?? '')
  return letters.join('').toUpperCase() || undefined
}

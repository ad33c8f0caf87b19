import type { ReactElement, ReactNode } from 'react'
import { EVALUATION, words } from '../words.ts'
import { Badge } from './badges.tsx'
import { join } from './class-names.ts'
import { Icon, type IconProps } from './icon.tsx'

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

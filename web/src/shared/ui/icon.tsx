import type { ReactElement } from 'react'
import { join } from './class-names.ts'
import { ICONS, type IconName } from './icons.tsx'

const SIZES = { xs: 'i-xs', s: 'i-s', m: '', l: 'i-l' }

export interface IconProps {
  name: IconName
  size?: keyof typeof SIZES
  className?: string
}

/** Always beside a word or inside a control that has a name, therefore hidden from screen readers. */
export function Icon({ name, size = 'm', className }: IconProps): ReactElement {
  return (
    <svg className={join('i', SIZES[size], className)} viewBox="0 0 16 16" aria-hidden="true">
      {ICONS[name]}
    </svg>
  )
}

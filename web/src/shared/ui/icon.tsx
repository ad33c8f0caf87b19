import type { ReactElement } from 'react'
import { join } from './class-names.ts'
import { ICONS, type IconName } from './icons.tsx'

const SIZES = { xs: 'i-xs', s: 'i-s', m: '', l: 'i-l' }

export interface IconProps {
  name: IconName
  size?: keyof typeof SIZES
  className?: string | undefined
  /** Says what no word beside it says. Without one the icon is hidden from screen readers. */
  label?: string
}

export function Icon({ name, size = 'm', className, label }: IconProps): ReactElement {
  return (
    <svg
      className={join('i', SIZES[size], className)}
      viewBox="0 0 16 16"
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {ICONS[name]}
    </svg>
  )
}

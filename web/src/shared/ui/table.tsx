import type { ComponentProps, ReactElement, ReactNode } from 'react'
import { join } from './class-names.ts'
import styles from './table.module.css'

interface TableProps extends ComponentProps<'table'> {
  /** What the table lists, for screen readers. */
  label: string
  /** Columns keep their widths, long text is cut. */
  fixed?: boolean
  /** The first and last column align with the gutter of the page. */
  full?: boolean
}

export function Table({
  label,
  fixed = false,
  full = false,
  className,
  children,
  ...rest
}: TableProps): ReactElement {
  return (
    <table
      {...rest}
      aria-label={label}
      className={join(styles.table, fixed && styles.fixed, full && styles.full, className)}
    >
      {children}
    </table>
  )
}

/** About so many pixels. */
const WIDTHS = {
  90: styles.w90,
  110: styles.w110,
  130: styles.w130,
  150: styles.w150,
  180: styles.w180,
  220: styles.w220,
}

interface ColumnProps extends Omit<ComponentProps<'th'>, 'width'> {
  width?: keyof typeof WIDTHS | undefined
  right?: boolean
  sorted?: 'ascending' | 'descending' | undefined
  onSort?: (() => void) | undefined
  children?: ReactNode
}

export function Column({
  width,
  right,
  sorted,
  onSort,
  children,
  className,
  ...rest
}: ColumnProps): ReactElement {
  return (
    <th
      scope="col"
      {...rest}
      className={join(width !== undefined && WIDTHS[width], right === true && 'r', className)}
      {...(sorted === undefined ? {} : { 'aria-sort': sorted })}
    >
      {onSort === undefined ? (
        children
      ) : (
        <button type="button" className={join(styles.sort, 'focus-in')} onClick={onSort}>
          {children}
          <span aria-hidden="true">{sorted === 'ascending' ? '↑' : sorted === 'descending' ? '↓' : ''}</span>
        </button>
      )}
    </th>
  )
}

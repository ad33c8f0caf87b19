import type { ComponentProps, ReactElement, ReactNode } from 'react'
import { join } from './class-names.ts'

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
    <table {...rest} aria-label={label} className={join('grid', fixed && 'fixed', full && 'full', className)}>
      {children}
    </table>
  )
}

interface ColumnProps extends Omit<ComponentProps<'th'>, 'width'> {
  /** One of the width classes of table.css, without its w-. */
  width?: string | undefined
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
      className={join(width !== undefined && `w-${width}`, right === true && 'r', className)}
      {...(sorted === undefined ? {} : { 'aria-sort': sorted })}
    >
      {onSort === undefined ? (
        children
      ) : (
        <button type="button" className="th-sort focus-in" onClick={onSort}>
          {children}
          <span aria-hidden="true">{sorted === 'ascending' ? '↑' : sorted === 'descending' ? '↓' : ''}</span>
        </button>
      )}
    </th>
  )
}

import { type ComponentProps, type ReactElement, type ReactNode, useId } from 'react'
import styles from './button.module.css'
import { join } from './class-names.ts'
import { Icon, type IconProps } from './icon.tsx'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  variant?: 'plain' | 'primary' | 'quiet' | 'danger' | 'danger solid' | undefined
  /** s: inside a field. */
  size?: 's' | 'm' | 'lg'
  icon?: IconProps['name'] | undefined
  /** The key that does the same. Shown; the keyboard layer handles it. */
  shortcut?: string | undefined
  /** Pressed, for a button that switches something on and off. */
  on?: boolean | undefined
  /** Why the button is off. It stays focusable, so that keyboard and screen reader find the reason. */
  off?: string | false | undefined
  /** Where the reason of `off` stands: beside the button, or only in its title and description. */
  reason?: 'beside' | 'title'
  children?: ReactNode
}

const VARIANTS = {
  plain: undefined,
  primary: styles.primary,
  quiet: styles.quiet,
  danger: styles.danger,
  'danger solid': join(styles.danger, styles.solid),
}

export function Button({
  variant = 'plain',
  size = 'm',
  icon,
  shortcut,
  on,
  off = false,
  reason = 'title',
  className,
  children,
  onClick,
  ...rest
}: ButtonProps): ReactElement {
  const reasonId = useId()
  const isOff = typeof off === 'string'
  const button = (
    <button
      type="button"
      {...rest}
      className={join(
        styles.button,
        VARIANTS[variant],
        size === 'lg' && styles.large,
        size === 's' && styles.small,
        on === true && styles.on,
        className,
      )}
      {...(on === undefined ? {} : { 'aria-pressed': on })}
      {...(isOff ? { 'aria-disabled': true, 'aria-describedby': reasonId, title: off } : {})}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
    >
      {icon === undefined ? null : <Icon name={icon} size="s" />}
      {children}
      {shortcut === undefined ? null : <Kbd>{shortcut}</Kbd>}
    </button>
  )
  if (!isOff) return button
  return (
    <span className="row">
      {button}
      <span id={reasonId} className={reason === 'beside' ? 'off-reason' : 'hid'}>
        {reason === 'beside' ? <Icon name="info" size="xs" /> : null}
        {off}
      </span>
    </span>
  )
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon' | 'shortcut'> {
  icon: IconProps['name']
  /** Name for screen readers and the tooltip. */
  label: string
}

export function IconButton({
  icon,
  label,
  className,
  variant = 'quiet',
  ...rest
}: IconButtonProps): ReactElement {
  return (
    <Button
      title={label}
      {...rest}
      variant={variant}
      aria-label={label}
      className={join(styles.icon, className)}
    >
      <Icon name={icon} />
    </Button>
  )
}

interface MoreButtonProps extends ButtonProps {
  /** Of the list. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** Loads the next page of a list; absent on the last one. */
export function MoreButton({ query, children, ...rest }: MoreButtonProps): ReactElement | null {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  if (!hasNextPage) return null
  return (
    <Button
      variant="quiet"
      icon="down"
      {...rest}
      off={isFetchingNextPage && 'The request is running'}
      onClick={() => void fetchNextPage()}
    >
      {isFetchingNextPage ? 'Loading…' : children}
    </Button>
  )
}

export function Kbd({ children }: { children: string }): ReactElement {
  return <kbd>{children}</kbd>
}

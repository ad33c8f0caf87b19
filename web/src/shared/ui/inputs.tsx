import type { ComponentProps, ReactElement, ReactNode } from 'react'
import { Kbd } from './button.tsx'
import { join } from './class-names.ts'
import { Icon, type IconProps } from './icon.tsx'
import styles from './inputs.module.css'

interface Look {
  /** Changed and not saved yet. */
  dirty?: boolean | undefined
}

export interface TextInputProps extends ComponentProps<'input'>, Look {
  tall?: boolean
  icon?: IconProps['name']
  /** Behind the text: a unit, a count. */
  suffix?: ReactNode
  shortcut?: string
  /** Class of the frame. */
  frame?: string | undefined
  mono?: boolean
}

export function TextInput(props: TextInputProps): ReactElement {
  const { dirty, tall, icon, suffix, shortcut, frame, mono, className, ...rest } = props
  const bad = rest['aria-invalid'] !== undefined && rest['aria-invalid'] !== false
  return (
    <span
      className={join(
        styles.frame,
        tall && styles.tall,
        bad && styles.bad,
        dirty && styles.dirty,
        frame ?? styles.full,
      )}
    >
      {icon === undefined ? null : <Icon name={icon} size="s" className="t3" />}
      <input type="text" autoComplete="off" {...rest} className={join(mono && 'mono', className)} />
      {suffix === undefined ? null : <span className="sm t3 nowrap">{suffix}</span>}
      {shortcut === undefined ? null : <Kbd>{shortcut}</Kbd>}
    </span>
  )
}

export interface TextAreaProps extends ComponentProps<'textarea'>, Look {}

export function TextArea({ dirty, className, ...rest }: TextAreaProps): ReactElement {
  return (
    <textarea
      rows={4}
      spellCheck={false}
      {...rest}
      className={join(styles.area, dirty && styles.dirty, className)}
    />
  )
}

export interface SelectProps extends ComponentProps<'select'>, Look {
  /** In their order; the label is what people read. */
  options: readonly { value: string; label: string; disabled?: boolean }[]
  frame?: string | undefined
}

/** The browser's own select: right on phones and for screen readers, and styled where the browser can. */
export function Select({ options, dirty, frame, ...rest }: SelectProps): ReactElement {
  const bad = rest['aria-invalid'] !== undefined && rest['aria-invalid'] !== false
  return (
    <span
      className={join(
        styles.frame,
        styles.select,
        dirty && styles.dirty,
        bad && styles.bad,
        frame ?? styles.full,
      )}
    >
      <select {...rest}>
        {options.map(({ value, label, disabled }) => (
          <option key={value} value={value} disabled={disabled}>
            {label}
          </option>
        ))}
      </select>
      <Icon name="down" size="xs" className="t3" />
    </span>
  )
}

export interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type'> {
  /** Some of many are chosen. */
  partly?: boolean
}

export function Checkbox({ partly = false, className, ...rest }: CheckboxProps): ReactElement {
  return (
    <input
      {...rest}
      type="checkbox"
      className={join(styles.checkbox, className)}
      ref={(input) => {
        if (input !== null) input.indeterminate = partly
      }}
    />
  )
}

interface ChoiceProps extends Omit<ComponentProps<'input'>, 'type'> {
  children: ReactNode
}

export function RadioLine({ children, ...rest }: ChoiceProps): ReactElement {
  return (
    <label className={styles.choice}>
      <input {...rest} type="radio" className={styles.radio} />
      <span>{children}</span>
    </label>
  )
}

export function Switch({ children, ...rest }: ChoiceProps): ReactElement {
  return (
    <label className={styles.choice}>
      <input {...rest} type="checkbox" role="switch" className={styles.switch} />
      <span>{children}</span>
    </label>
  )
}

interface SegmentsProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string; icon?: IconProps['name'] }[]
  onChange: (value: Value) => void
}

/** A few choices, one of them taken: a range of days, graph or table. */
export function Segments<Value extends string>({
  label,
  value,
  options,
  onChange,
}: SegmentsProps<Value>): ReactElement {
  return (
    <div className={styles.segments} role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          className="focus-in"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.icon === undefined ? null : <Icon name={option.icon} size="s" />}
          {option.label}
        </button>
      ))}
    </div>
  )
}

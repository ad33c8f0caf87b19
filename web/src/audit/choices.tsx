import { type ReactElement, useState } from 'react'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Field } from '../shared/ui/field.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import type { IconName } from '../shared/ui/icons.tsx'
import { TextInput } from '../shared/ui/inputs.tsx'
import menuStyles from '../shared/ui/menu.module.css'
import styles from './audit.module.css'

interface ChoiceListProps {
  /** Values with their words, and the icons that the table shows for them. */
  options: readonly (readonly [string, string, IconName?])[]
  value: string | undefined
  onPick: (value: string) => void
}

export function ChoiceList({ options, value, onPick }: ChoiceListProps): ReactElement {
  return (
    <ul className={styles.choices}>
      {options.map(([each, word, icon]) => (
        <li key={each}>
          <button
            type="button"
            className={join(menuStyles.item, 'focus-in')}
            aria-pressed={each === value}
            onClick={() => onPick(each)}
          >
            {icon === undefined ? null : <Icon name={icon} size="s" className="t2" />}
            <span className="cut grow">{word}</span>
            {each === value ? <Icon name="check" size="xs" /> : null}
          </button>
        </li>
      ))}
    </ul>
  )
}

interface TextChoiceProps {
  value: string
  onPick: (value: string) => void
}

/** The name of a field of an agent. */
export function TextChoice({ value, onPick }: TextChoiceProps): ReactElement {
  const [text, setText] = useState(value)
  return (
    <form
      className="col col-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') onPick(text.trim())
      }}
    >
      <Field
        label="Field"
        hint="As the API names it: agent_system_prompt, or secrets.crm_token for a named secret."
      >
        {(control) => (
          <TextInput
            {...control}
            mono
            maxLength={255}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <span>
        <Button type="submit" variant="primary" off={text.trim() === '' ? 'Name a field first' : false}>
          Show its events
        </Button>
      </span>
    </form>
  )
}

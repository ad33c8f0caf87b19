import { type ReactElement, useEffect, useRef, useState } from 'react'
import { IconButton } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { TextInput } from '../../shared/ui/inputs.tsx'

interface SecretInputProps {
  label: string
  fault: string | undefined
  autoFocus?: boolean
  onChange: (value: string) => void
}

/** Takes no `value`: React would copy it into an attribute, and the document would hold the secret in clear text. */
export function SecretInput({ label, fault, autoFocus = false, onChange }: SecretInputProps): ReactElement {
  const [visible, setVisible] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (autoFocus) input.current?.focus()
  }, [autoFocus])
  return (
    <Field
      label={label}
      fault={fault}
      hint="Sealed on the server before it is stored. After saving, at most the last four characters can be seen."
    >
      {(control) => (
        <>
          {/* A form with a password needs a user name, which password managers read. */}
          <input type="text" hidden readOnly autoComplete="username" value={label} />
          <TextInput
            {...control}
            ref={input}
            tall
            mono
            type={visible ? 'text' : 'password'}
            // Password managers must not offer to keep it.
            autoComplete="new-password"
            data-1p-ignore
            spellCheck={false}
            maxLength={8192}
            onChange={(event) => onChange(event.target.value)}
            suffix={
              <IconButton
                size="s"
                icon={visible ? 'eyeOff' : 'eye'}
                label={visible ? 'Hide what you type' : 'Show what you type'}
                onClick={() => setVisible(!visible)}
              />
            }
          />
        </>
      )}
    </Field>
  )
}

import { lazy, type ReactElement, Suspense, useRef, useState } from 'react'
import { formatCount } from '../../shared/numbers.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { Segments, TextArea } from '../../shared/ui/inputs.tsx'
import { FieldControl } from './control.tsx'
import styles from './fields.module.css'
import { useFormParts } from './form-context.ts'
import { AreaInput, type InputProps } from './inputs.tsx'
import type { FieldSpec } from './spec.ts'

const CodeEditor = lazy(() => import('./code-editor.tsx').then((module) => ({ default: module.CodeEditor })))

/** A long text: a text area in the form, and an editor with lines and comparison on the full screen. */
export function PromptField({ spec }: { spec: FieldSpec }): ReactElement {
  const [open, setOpen] = useState(false)
  return (
    <FieldControl
      spec={spec}
      action={
        <Button variant="quiet" size="s" icon="expand" onClick={() => setOpen(true)}>
          Full screen
        </Button>
      }
      render={(props) => (
        <>
          <AreaInput {...props} />
          <Dialog open={open} onClose={() => setOpen(false)} title={spec.label} kind="full">
            <FullScreen {...props} />
          </Dialog>
        </>
      )}
    />
  )
}

function FullScreen({ spec, value, readOnly, onChange }: InputProps): ReactElement {
  const { base } = useFormParts()
  const [mode, setMode] = useState<'write' | 'compare'>('write')
  // Typing may begin before the editor has loaded.
  const cursor = useRef(0)
  const saved = base.fields[spec.path] ?? ''
  return (
    <>
      <div className="row wrap">
        <Segments
          label="View"
          value={mode}
          onChange={setMode}
          options={[
            { value: 'write', label: 'Write', icon: 'edit' },
            { value: 'compare', label: 'Compare with saved', icon: 'columns' },
          ]}
        />
        <span className="sp" />
        <span className="sm t3 num">{formatCount(value.length)} characters</span>
      </div>
      <Suspense
        fallback={
          <TextArea
            aria-label={spec.label}
            className={styles.editor}
            value={value}
            readOnly={readOnly}
            onSelect={(event) => {
              cursor.current = event.currentTarget.selectionStart
            }}
            onChange={(event) => {
              cursor.current = event.target.selectionStart
              onChange(event.target.value)
            }}
          />
        }
      >
        <CodeEditor
          label={spec.label}
          value={value}
          saved={mode === 'compare' ? saved : undefined}
          cursor={cursor}
          readOnly={readOnly}
          onChange={onChange}
        />
      </Suspense>
    </>
  )
}

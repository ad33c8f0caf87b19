import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { diff, unifiedMergeView } from '@codemirror/merge'
import { Compartment, EditorState, type Extension, Transaction } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { type ReactElement, type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import styles from './fields.module.css'

interface CodeEditorProps {
  label: string
  value: string
  /** Compare with this text; undefined: only the text itself. */
  saved: string | undefined
  /** Where writing begins. */
  cursor: RefObject<number>
  readOnly: boolean
  onChange: (text: string) => void
}

/** The limit that the comparison has: without one, large different texts take quadratic time. */
const SCAN_LIMIT = 500

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '0.8125rem' },
  // The frame around the editor shows the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', fontVariantLigatures: 'none' },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-3)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { boxShadow: 'inset 2px 0 0 var(--accent-line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--accent-soft)',
  },
  '&.cm-merge-b .cm-changedLine, .cm-insertedLine': { background: 'var(--add-bg)' },
  '&.cm-merge-b .cm-changedText, ins.cm-insertedLine': {
    background: 'var(--add-word)',
    textDecoration: 'none',
  },
  '.cm-deletedChunk': { background: 'var(--del-bg)', paddingLeft: '0.375rem' },
  '.cm-deletedChunk .cm-deletedText, .cm-deletedLine del': {
    background: 'var(--del-word)',
    textDecoration: 'none',
  },
  '.cm-collapsedLines': { color: 'var(--text-3)', background: 'var(--sunken)', border: '0' },
})

/** Inside a shadow root: there the editor may bring its styles, which the policy of the page refuses elsewhere. */
export function CodeEditor({
  label,
  value,
  saved,
  cursor,
  readOnly,
  onChange,
}: CodeEditorProps): ReactElement {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const comparison = useRef(new Compartment())
  /** Texts that were typed and have not come back as the value: the next key may be pressed before React renders. */
  const typed = useRef<string[]>([])
  const changed = useEffectEvent((text: string) => {
    typed.current.push(text)
    onChange(text)
  })
  const start = useEffectEvent((root: ShadowRoot) => {
    const state = EditorState.create({
      doc: value,
      selection: { anchor: Math.min(cursor.current, value.length) },
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        theme,
        keymap.of([...standardKeymap, ...historyKeymap]),
        EditorState.readOnly.of(readOnly),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'true' }),
        EditorView.updateListener.of((update) => {
          const isTyped = !update.transactions.some(isTakenOver)
          if (update.docChanged && isTyped) changed(update.state.doc.toString())
        }),
        comparison.current.of(compareWith(saved)),
      ],
    })
    return new EditorView({ state, root, parent: root })
  })

  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const editor = start(element.shadowRoot ?? element.attachShadow({ mode: 'open' }))
    view.current = editor
    editor.focus()
    return () => editor.destroy()
  }, [])

  useEffect(() => {
    const echo = typed.current.indexOf(value)
    typed.current = echo === -1 ? [] : typed.current.slice(echo + 1)
    if (echo === -1 && view.current !== undefined) takeOver(view.current, value)
  }, [value])

  useEffect(() => {
    view.current?.dispatch({ effects: comparison.current.reconfigure(compareWith(saved)) })
  }, [saved])

  return <div ref={host} className={styles.editor} />
}

/** Shows a text that was not typed here. The cursor stays at its place, and undo does not remove the text. */
function takeOver(view: EditorView, value: string): void {
  const text = view.state.toText(value).toString()
  const changes = diff(view.state.doc.toString(), text, { scanLimit: SCAN_LIMIT }).map(
    ({ fromA, toA, fromB, toB }) => ({ from: fromA, to: toA, insert: text.slice(fromB, toB) }),
  )
  if (changes.length === 0) return
  view.dispatch({
    changes,
    annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)],
  })
}

function isTakenOver(transaction: Transaction): boolean {
  return transaction.annotation(Transaction.remote) === true
}

function compareWith(saved: string | undefined): Extension {
  if (saved === undefined) return []
  return unifiedMergeView({
    original: saved,
    mergeControls: false,
    collapseUnchanged: { margin: 3, minSize: 6 },
  })
}

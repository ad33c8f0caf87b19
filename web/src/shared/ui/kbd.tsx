import type { ReactElement } from 'react'

export function Kbd({ children }: { children: string }): ReactElement {
  return <kbd>{children}</kbd>
}

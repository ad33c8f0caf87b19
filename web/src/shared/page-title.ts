import { useEffect } from 'react'

let page: string | undefined
let detail: string | undefined

function show(): void {
  document.title = [detail, page, 'Agent Console'].filter(Boolean).join(' · ')
}

/** Set by the shell from the route. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    page = title
    show()
  }, [title])
}

/** Before the title of the page: the name of the agent. */
export function useTitleDetail(text: string | undefined): void {
  useEffect(() => {
    detail = text
    show()
    return () => {
      detail = undefined
      show()
    }
  }, [text])
}

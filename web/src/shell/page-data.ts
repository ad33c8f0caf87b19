import type { Permission } from '../auth/permissions.ts'

/** What the shell needs to know of each page. */
export interface PageData {
  title: string
  /** null: every signed-in user. */
  needs: Permission | null
  /** Completes "You may not", for the page that says so. */
  what: string
}

import type { ReactElement } from 'react'
import styles from './mark.module.css'

export function Mark(): ReactElement {
  return (
    <svg className={styles.mark} viewBox="0 0 20 20" aria-hidden="true">
      <rect width="20" height="20" rx="5" className={styles.ground} />
      <path className={styles.letter} d="M5 14.2 10 5l5 9.2M7.4 10.8h5.2" />
    </svg>
  )
}

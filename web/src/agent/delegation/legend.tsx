import type { ReactElement } from 'react'
import badgesStyles from '../../shared/ui/badges.module.css'
import { StageGlyph } from '../../shared/ui/badges.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import styles from './delegation.module.css'
import type { Graph } from './graph.ts'

/** Explains only what the graph shows. */
export function Legend({ graph, weakest }: { graph: Graph; weakest: boolean }): ReactElement {
  return (
    <div className={styles.legend}>
      <span className={badgesStyles.badge}>
        <StageGlyph value="registered" />
        <Icon name="forward" size="xs" />
        <StageGlyph value="adapted" />
        More bars, higher stage
      </span>
      {weakest && graph.edges.some(({ isWeak }) => isWeak) ? (
        <span className={badgesStyles.badge}>
          <span className={styles.lgWeak} />
          Weakest path
        </span>
      ) : null}
      {graph.nodes.some(({ kind }) => kind === 'external') ? (
        <span className={badgesStyles.badge}>
          <span className={styles.lgUnknown} />
          Not in this registry
        </span>
      ) : null}
    </div>
  )
}

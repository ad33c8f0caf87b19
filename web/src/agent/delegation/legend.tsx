import type { ReactElement } from 'react'
import { StageGlyph } from '../../shared/ui/badges.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import type { Graph } from './graph.ts'

/** Explains only what the graph shows. */
export function Legend({ graph, weakest }: { graph: Graph; weakest: boolean }): ReactElement {
  return (
    <div className="glegend">
      <span className="bd">
        <StageGlyph value="registered" />
        <Icon name="forward" size="xs" />
        <StageGlyph value="adapted" />
        More bars, higher stage
      </span>
      {weakest && graph.edges.some(({ isWeak }) => isWeak) ? (
        <span className="bd">
          <span className="lg-weak" />
          Weakest path
        </span>
      ) : null}
      {graph.nodes.some(({ kind }) => kind === 'external') ? (
        <span className="bd">
          <span className="lg-unknown" />
          Not in this registry
        </span>
      ) : null}
    </div>
  )
}

import { Link } from '@tanstack/react-router'
import { Handle, type NodeProps, Position } from '@xyflow/react'
import type { ReactElement } from 'react'
import { ProtectionBadge, StageBadge } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { stageNumber } from '../../shared/words.ts'
import type { GraphNode } from './graph.ts'
import { outsideText, weaknessText } from './words.ts'

export function HeadingNode({ data }: NodeProps): ReactElement {
  return <div className="gn-head">{String(data['label'])}</div>
}

export function AgentNode({ data }: NodeProps): ReactElement {
  const { node, weakest } = data as { node: GraphNode; weakest: boolean }
  const content = (
    <>
      {node.stage === undefined ? null : <span className={`gn-bar st${stageNumber(node.stage)}`} />}
      <span className="gn-name cut" title={node.name}>
        {node.name}
      </span>
      <span className="gn-facts">
        {node.stage === undefined ? (
          <>
            <span>{outsideText(node)}</span>
            <span className="sp" />
            <span aria-hidden="true">?</span>
          </>
        ) : (
          <>
            <StageBadge value={node.stage} />
            <span className="sp" />
            {node.protection === undefined ? null : <ProtectionBadge value={node.protection} glyphOnly />}
          </>
        )}
      </span>
    </>
  )
  const className = join(
    'gn nopan',
    node.column === 0 && 'self',
    node.id === null && 'unknown',
    weakest && node.isWeak && 'weak',
  )
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {node.id === null || node.column === 0 ? (
        <div className={className}>{content}</div>
      ) : (
        <Link to="/agents/$id/delegation" params={{ id: node.id }} className={className} preload={false}>
          {content}
        </Link>
      )}
      {weakest && node.isWeakest ? <span className="gn-tag">Weakest: {weaknessText(node)}</span> : null}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  )
}

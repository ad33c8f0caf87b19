import type { AgentResult } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx'
import { toast } from '../../shared/ui/toast.tsx'
import { nameOf, type SecretPart } from './parts.ts'
import { useWrite } from './use-write.ts'

interface ClearDialogProps {
  result: AgentResult
  secret: SecretPart
  onClose: () => void
}

/** A restore does not bring a secret back, so that it asks. */
export function ClearDialog({ result, secret, onClose }: ClearDialogProps): ReactElement {
  const { write, busy, fault } = useWrite(result, secret.path)
  const verb = nameOf(secret.path) === undefined ? 'Clear' : 'Delete'
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`${verb} ${secret.label}?`}
      confirm={`${verb} ${secret.label}`}
      keep="Keep it"
      busy={busy}
      onConfirm={() =>
        void write(null, '', (revision) => {
          toast({
            text: `${secret.label} is ${verb === 'Clear' ? 'cleared' : 'deleted'}, revision ${revision}`,
          })
          onClose()
        })
      }
    >
      <p>
        The value <span className="mono">{secret.mask}</span> is lost: restoring a revision does not bring
        secrets back. What uses it stops working.
      </p>
      {fault === undefined ? null : (
        <p className="danger-t mt2" role="alert">
          {fault}
        </p>
      )}
    </ConfirmDialog>
  )
}

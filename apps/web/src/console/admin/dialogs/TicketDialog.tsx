import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../../ui/button-class.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import type { SearchText } from '../../list/search-state.ts'
import { Conversation } from '../../support/Conversation.tsx'
import { staffSide } from '../../support/side.ts'

interface TicketDialogProps {
  readonly id: string
  readonly onClose: () => void
}

/** One ticket over whichever list is open: its status and priority, its messages, and the answer. */
export function TicketDialog({ id, onClose }: TicketDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Support Ticket"
      width="l"
      footer={
        <Link
          to="/admin"
          search={(before: SearchText) => ({ ...before, tab: 'support' })}
          resetScroll={false}
          className={buttonClass()}
        >
          Open among the tickets
        </Link>
      }
    >
      <div className="h-terminal overflow-hidden rounded-panel border border-line">
        <Conversation side={staffSide} id={id} onClose={onClose} isAlone />
      </div>
    </Dialog>
  )
}

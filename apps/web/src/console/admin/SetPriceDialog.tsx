import type { UnpricedCards } from '@ingot/contracts/catalog-calls'
import { Button } from '../../ui/Button.tsx'
import { CommandBlock } from '../../ui/CommandBlock.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toast.ts'
import { priceText } from './price-text.ts'

interface SetPriceDialogProps {
  readonly cards: UnpricedCards
  readonly onClose: () => void
}

/** Prices are set by whoever owns the database: the server itself has no right to. */
export function SetPriceDialog({ cards, onClose }: SetPriceDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="l"
      title={`Set a price for ${cards.model}`}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <div className="flex flex-col gap-4">
        <p>
          Prices are rows that the server itself cannot change. Run these statements in psql as the owner of
          the database, with what one card comes with and what it costs in dollars in place of the words in
          capitals. The cards are on sale half a minute later.
        </p>
        <CommandBlock
          label="Statements"
          commands={[{ tool: 'psql', text: priceText(cards) }]}
          onCopied={() => toast.success('Copied to clipboard')}
        />
      </div>
    </Dialog>
  )
}

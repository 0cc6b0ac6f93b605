import { volumeGraceDays } from '@ingot/contracts/accounts'
import { Button } from '../../ui/Button.tsx'
import { DeleteAccountDialog } from './DeleteAccountDialog.tsx'
import { rowList, Section, SettingRow } from './Section.tsx'
import { useDialog } from './use-dialog.ts'

export function DangerSection() {
  const dialog = useDialog('delete')
  return (
    <Section id="danger">
      <ul className={rowList}>
        <SettingRow
          title="Delete account"
          action={
            <Button variant="danger" onClick={dialog.open}>
              Delete Account
            </Button>
          }
        >
          Destroys your instances at once and your volumes and snapshots {volumeGraceDays} days later, and
          erases your profile. Nobody can undo it.
        </SettingRow>
      </ul>
      <DeleteAccountDialog open={dialog.isOpen} onClose={dialog.close} />
    </Section>
  )
}

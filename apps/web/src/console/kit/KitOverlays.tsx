import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { CommandPalette } from '../../ui/CommandPalette.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Drawer } from '../../ui/Drawer.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/Menu.tsx'
import { toast } from '../../ui/toast.ts'
import { useShortcut } from '../../ui/shortcuts.ts'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { KitRow, KitSection } from './KitSection.tsx'

type Overlay = 'dialog' | 'confirm' | 'typed' | 'left' | 'right' | 'palette'

export function KitOverlays() {
  const [open, setOpen] = useState<Overlay | null>(null)
  const [busy, setBusy] = useState(false)
  useShortcut('mod+k', () => setOpen('palette'))
  const overlay = (name: Overlay) => ({
    open: open === name,
    onOpenChange: (next: boolean) => setOpen(next ? name : null),
  })
  const remove = () => {
    setBusy(true)
    setTimeout(() => {
      setBusy(false)
      setOpen(null)
      toast.success('Volume deleted successfully')
    }, 1000)
  }
  return (
    <KitSection title="Overlays">
      <KitRow name="Open">
        <Button onClick={() => setOpen('dialog')}>Dialog</Button>
        <Button onClick={() => setOpen('confirm')}>Confirm</Button>
        <Button onClick={() => setOpen('typed')}>Confirm by name</Button>
        <Button onClick={() => setOpen('left')}>Drawer, left</Button>
        <Button onClick={() => setOpen('right')}>Drawer, right</Button>
        <Button onClick={() => setOpen('palette')} shortcut="Ctrl K">
          Palette
        </Button>
        <Menu trigger={<Button>Menu</Button>} align="start">
          <MenuLabel>llama-ft-07</MenuLabel>
          <MenuItem shortcut="E" onSelect={() => setOpen('dialog')}>
            Edit Instance
          </MenuItem>
          <MenuItem disabledReason="Only while running">Restart Instance</MenuItem>
          <MenuItem asChild>
            <a href="#logs">View Logs</a>
          </MenuItem>
          <MenuSeparator />
          <MenuItem danger>Delete Instance</MenuItem>
        </Menu>
        <Tooltip text="Opens after 700 ms, the next within 300 ms at once">
          <Button>Tooltip</Button>
        </Tooltip>
      </KitRow>

      <Dialog
        {...overlay('dialog')}
        title="Edit instance"
        description="Only the name can change while it runs."
        footer={
          <>
            <Button onClick={() => setOpen(null)}>Cancel</Button>
            <Button variant="primary" onClick={() => setOpen(null)}>
              Save
            </Button>
          </>
        }
      >
        <Field label="Name">
          <Input defaultValue="llama-ft-07" />
        </Field>
      </Dialog>
      <ConfirmDialog
        {...overlay('confirm')}
        title="Delete instance"
        confirmLabel="Delete instance"
        onConfirm={() => setOpen(null)}
      >
        llama-ft-07 and its disk will be gone. $3.28 returns to your balance.
      </ConfirmDialog>
      <ConfirmDialog
        {...overlay('typed')}
        title="Delete volume"
        typed="datasets"
        confirmLabel="Delete volume"
        busyLabel="Deleting..."
        busy={busy}
        onConfirm={remove}
      >
        212 GB in US-East, last used 2 hours ago. This cannot be undone.
      </ConfirmDialog>
      <Drawer {...overlay('left')} side="left" title="Navigation">
        Links
      </Drawer>
      <Drawer {...overlay('right')} title="Details">
        Properties
      </Drawer>
      <CommandPalette
        {...overlay('palette')}
        groups={[
          {
            heading: 'Pages',
            items: [
              {
                id: 'dashboard',
                label: 'Dashboard',
                shortcut: 'G D',
                onSelect: () => toast.info('Dashboard'),
              },
              {
                id: 'instances',
                label: 'Instances',
                shortcut: 'G I',
                onSelect: () => toast.info('Instances'),
              },
            ],
          },
          {
            heading: 'Instances',
            items: [
              {
                id: 'llama',
                label: 'llama-ft-07',
                hint: 'Running',
                keywords: ['01980000'],
                onSelect: () => toast.info('llama-ft-07'),
              },
            ],
          },
        ]}
      />
    </KitSection>
  )
}

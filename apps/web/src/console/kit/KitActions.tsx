import { Ellipsis, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import type { ButtonVariant } from '../../ui/button-class.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { Tape } from '../../ui/Tape.tsx'
import { KitRow, KitSection } from './KitSection.tsx'

const variants: readonly { readonly variant: ButtonVariant; readonly label: string }[] = [
  { variant: 'primary', label: 'Deploy instance' },
  { variant: 'secondary', label: 'Copy as CLI' },
  { variant: 'ghost', label: 'Cancel' },
  { variant: 'danger', label: 'Delete' },
  { variant: 'danger-fill', label: 'Delete volume' },
]

export function KitActions() {
  const [busy, setBusy] = useState(false)
  const work = () => {
    setBusy(true)
    setTimeout(() => setBusy(false), 2000)
  }
  return (
    <KitSection title="Actions">
      <KitRow name="Button">
        {variants.map(({ variant, label }) => (
          <Button key={variant} variant={variant}>
            {label}
          </Button>
        ))}
      </KitRow>
      <KitRow name="Large">
        <Button variant="primary" size="l">
          Deploy for $4.10/h
        </Button>
        <Button size="l">Read the docs</Button>
      </KitRow>
      <KitRow name="Shortcut, icon">
        <Button variant="primary" shortcut="C">
          Deploy instance
        </Button>
        <Button icon={<RefreshCw size={16} aria-hidden />}>Refresh</Button>
      </KitRow>
      <KitRow name="Busy">
        <Button variant="primary" busy>
          Deploy instance
        </Button>
        <Button busy>Refresh</Button>
        <Button variant="primary" busy={busy} busyLabel="Signing in..." onClick={work}>
          Sign in
        </Button>
      </KitRow>
      <KitRow name="Disabled, with a reason">
        {variants.map(({ variant, label }) => (
          <Button key={variant} variant={variant} disabledReason="Storage can be changed only while stopped">
            {label}
          </Button>
        ))}
      </KitRow>
      <KitRow name="IconButton">
        <IconButton label="Refresh">
          <RefreshCw size={16} aria-hidden />
        </IconButton>
        <IconButton label="Actions for llama-ft-07" variant="secondary">
          <Ellipsis size={16} aria-hidden />
        </IconButton>
        <IconButton label="Refresh" disabledReason="Wait 3 seconds between refreshes">
          <RefreshCw size={16} aria-hidden />
        </IconButton>
      </KitRow>
      <KitRow name="CopyButton">
        <CopyButton text="inst_01980000" what="instance id" />
        <CopyButton text="ingot instances list" what="command" labelled />
      </KitRow>
      <KitRow name="Tape, Kbd, Badge">
        <span className="text-title">
          <Tape>llama-ft-07</Tape>
        </span>
        <Kbd>Ctrl K</Kbd>
        <Badge>medium</Badge>
        <Badge tone="ok">confirmed</Badge>
        <Badge tone="warn">pending</Badge>
        <Badge tone="danger">failed</Badge>
        <Badge tone="info">open</Badge>
        <Badge count tone="info">
          1
        </Badge>
        <Badge count>12</Badge>
      </KitRow>
    </KitSection>
  )
}

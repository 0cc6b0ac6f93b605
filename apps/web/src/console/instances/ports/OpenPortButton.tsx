import type { InstancePort } from '@ingot/contracts/instance/ports'
import { type Instance, whyNot } from '@ingot/contracts/instances'
import { Button } from '../../../ui/Button.tsx'
import { openTab, useOpenPort } from './use-open-port.ts'

interface OpenPortButtonProps {
  readonly instance: Instance
  readonly port: InstancePort
}

export function OpenPortButton({ instance, port: { port, name } }: OpenPortButtonProps) {
  const open = useOpenPort(instance.id)
  return (
    <Button
      aria-label={`Open ${name}`}
      busy={open.isPending}
      busyLabel="Opening..."
      disabledReason={whyNot('connect', instance.status)}
      onClick={() => {
        const tab = openTab()
        if (tab) open.mutate({ port, tab })
      }}
    >
      Open
    </Button>
  )
}

import type { SshAccess } from '@ingot/contracts/instance/ssh'
import type { Instance } from '@ingot/contracts/instances'
import { whyNot } from '@ingot/contracts/instances'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CommandBlock } from '../../../ui/CommandBlock.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { PropertyList } from '../../../ui/PropertyList.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { TabPanel, Tabs } from '../../../ui/Tabs.tsx'
import { toast } from '../../../ui/toast.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { openTerminal } from '../open-terminal.ts'
import { sshAccessQuery } from '../queries.ts'
import { SshPassword } from './SshPassword.tsx'
import { SshKeys, SshStart } from './SshSettings.tsx'
import { sshCommands } from './ssh-commands.ts'

interface SshDialogProps {
  readonly instance: Instance
  readonly onClose: () => void
}

const tabs = [
  { value: 'password', label: 'Password' },
  { value: 'ssh-key', label: 'SSH key' },
  { value: 'web-terminal', label: 'Web terminal' },
] as const
type Way = (typeof tabs)[number]['value']

const copied = () => toast.success('Copied to clipboard')

export function SshDialog({ instance, onClose }: SshDialogProps) {
  const access = useQuery(sshAccessQuery(instance.id))
  const refusal = whyNot('connect', instance.status)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="l"
      title={`Connect to ${instance.name} via SSH`}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {refusal ? (
        <Band tone="warn">{refusal}</Band>
      ) : (
        <QueryView
          query={access}
          failed="SSH cannot be used"
          consequence="The web terminal works all the same."
          skeleton={<Skeleton className="h-24" />}
        >
          {found => <Ways instance={instance} access={found} />}
        </QueryView>
      )}
    </Dialog>
  )
}

function Ways({ instance, access }: { readonly instance: Instance; readonly access: SshAccess }) {
  const [way, setWay] = useState<Way>('password')
  const commands = sshCommands(instance.name, access)
  return (
    <div className="flex flex-col gap-6">
      <Tabs label="Ways to connect" tabs={tabs} value={way} onValueChange={setWay}>
        <TabPanel value="password">
          <div className="flex flex-col gap-4">
            <Line what="Command">{commands.connect}</Line>
            <SshPassword id={instance.id} />
          </div>
        </TabPanel>
        <TabPanel value="ssh-key">
          <div className="flex flex-col gap-4">
            <Line what="Command">{commands.connect}</Line>
            <SshKeys instance={instance} access={access} />
          </div>
        </TabPanel>
        <TabPanel value="web-terminal">
          <div className="flex flex-col items-start gap-4">
            <p className="text-muted">A shell in this browser, which needs no key and no password.</p>
            <Button onClick={() => openTerminal(instance)}>Open terminal</Button>
          </div>
        </TabPanel>
      </Tabs>
      <section className="flex flex-col gap-2">
        <h3 className="text-heading">Copy files and reach ports</h3>
        <CommandBlock
          label="Commands"
          onCopied={copied}
          commands={[
            { tool: 'SCP', text: [commands.upload, commands.uploadFolder, commands.download].join('\n') },
            { tool: 'SFTP', text: commands.sftp },
            { tool: 'Port', text: commands.port },
            { tool: '~/.ssh/config', text: commands.config },
          ]}
        />
        <p className="text-label font-normal text-muted">
          With the block in <code className="font-mono text-code">~/.ssh/config</code>,{' '}
          <code className="font-mono text-code">ssh {commands.alias}</code> is enough.
        </p>
      </section>
      <SshStart instance={instance} access={access} />
      <section className="flex flex-col gap-2">
        <h3 className="text-heading">Security</h3>
        <PropertyList
          onCopied={copied}
          properties={[
            { name: 'Host key', value: access.host_key_fingerprint, copy: access.host_key_fingerprint },
            { name: 'Known host', value: commands.knownHost, copy: commands.knownHost },
          ]}
        />
        <ul className="list-disc pl-4 text-muted">
          <li>At the first connection your program shows the host key. Go on only if it is the one above.</li>
          <li>Prefer a key to the password: it never leaves your computer.</li>
          <li>Remove a key from your settings, or renew the password, and what is connected with it ends.</li>
        </ul>
      </section>
    </div>
  )
}

function Line({ what, children }: { readonly what: string; readonly children: string }) {
  return (
    <div className="flex items-start justify-between gap-4 rounded-panel bg-sunken p-4 forced-colors:border">
      <code className="min-w-0 font-mono text-code break-all">{children}</code>
      <CopyButton text={children} what={what} labelled onCopied={copied} />
    </div>
  )
}

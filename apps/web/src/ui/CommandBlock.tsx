import { Tabs as Radix } from 'radix-ui'
import { useState } from 'react'
import { CopyButton } from './CopyButton.tsx'
import { tabClass } from './Tabs.tsx'

export interface Command {
  /** `CLI`, `HTTP`, `Python`. */
  readonly tool: string
  readonly text: string
}

interface CommandBlockProps {
  readonly label: string
  readonly commands: readonly [Command, ...Command[]]
  /** Called with the tool whose command was copied. */
  readonly onCopied?: (tool: string) => void
}

/** A part of ids, which have no spaces. */
const valueOf = ({ tool }: Command): string => tool.replaceAll(' ', '-')

/** The same act as a command, in each tool that has one. Secrets stand in it as `$INGOT_API_KEY`. */
export function CommandBlock({ label, commands, onCopied }: CommandBlockProps) {
  const [tool, setTool] = useState(commands[0].tool)
  const shown = commands.find(command => command.tool === tool) ?? commands[0]
  return (
    <Radix.Root
      value={valueOf(shown)}
      onValueChange={value => setTool(commands.find(each => valueOf(each) === value)?.tool ?? tool)}
      className="min-w-0"
    >
      <div className="flex items-center justify-between gap-4 pb-2">
        <Radix.List aria-label={label} className="flex gap-3">
          {commands.map(command => (
            <Radix.Trigger key={command.tool} value={valueOf(command)} className={tabClass}>
              {command.tool}
            </Radix.Trigger>
          ))}
        </Radix.List>
        <CopyButton
          text={shown.text}
          what={`${shown.tool} command`}
          labelled
          onCopied={() => onCopied?.(shown.tool)}
        />
      </div>
      {commands.map(command => (
        <Radix.Content
          key={command.tool}
          value={valueOf(command)}
          className="overflow-x-auto rounded-panel bg-sunken p-4 forced-colors:border"
        >
          <pre className="font-mono text-code">{command.text}</pre>
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

import { deployDefaults } from '@ingot/contracts/catalog'
import { builtInTemplates } from '@ingot/contracts/templates'
import type { Command } from '../../../ui/CommandBlock.tsx'
import { autoShutdownInput } from '../auto-shutdown.ts'
import { commandsFor } from '../command-text.ts'
import type { DeployChoices } from './deploy-search.ts'

type DeployInput = DeployChoices & { readonly template_id: string }

/** What one would deploy to try it: the defaults and the first template. */
export const firstDeploy: DeployInput = {
  name: 'first',
  template_id: builtInTemplates[0]!.id,
  ...deployDefaults,
  start: true,
}

/** Names are sent as the form would send them; `start` only where it is not what happens anyway. */
export const deployCommands = (
  origin: string,
  { start, name, auto_shutdown, ...input }: DeployInput,
): readonly [Command, Command] =>
  commandsFor(origin, 'create', {
    name: name.trim() || 'my-instance',
    ...input,
    ...autoShutdownInput(auto_shutdown),
    ...(start ? {} : { start }),
  })

import { deployDefaults } from '@ingot/contracts/catalog'
import { builtInTemplates } from '@ingot/contracts/templates'
import type { Command } from '../../../ui/CommandBlock.tsx'
import { autoShutdownInput } from '../auto-shutdown.ts'
import { commandsFor } from '../command-text.ts'
import { limitError } from '../../budgets/budget-text.ts'
import { budgetInputOf, type DeployChoices } from './deploy-search.ts'

type DeployInput = Omit<DeployChoices, 'on_term_end'> & {
  readonly template_id: string
  readonly template_key?: string
  readonly env?: object
  readonly secrets?: object
  readonly registry_credentials?: object
  readonly on_term_end?: DeployChoices['on_term_end']
}

/** What one would deploy to try it: the defaults and the first template. */
export const firstDeploy: DeployInput = {
  name: 'first',
  template_id: builtInTemplates[0]!.id,
  ...deployDefaults,
  start: true,
}

/** Sent only where there is a term, and only what does not happen anyway. */
export const termEndInput = ({
  billing_period,
  on_term_end,
}: Pick<DeployInput, 'billing_period' | 'on_term_end'>): { on_term_end?: 'stop' } =>
  billing_period !== 'hourly' && on_term_end === 'stop' ? { on_term_end } : {}

/** Names are sent as the form would send them; `start` only where it is not what happens anyway. */
export const deployCommands = (
  origin: string,
  { start, name, auto_shutdown, on_term_end, budget, budget_at, ssh_keys, ports, ...input }: DeployInput,
  queues = false,
): readonly [Command, Command] =>
  commandsFor(origin, 'create', {
    name: name.trim() || 'my-instance',
    ...input,
    ...autoShutdownInput(auto_shutdown),
    ...termEndInput({ billing_period: input.billing_period, ...(on_term_end && { on_term_end }) }),
    ...(budget && limitError(budget) ? {} : budgetInputOf({ budget, budget_at })),
    ...(ssh_keys?.length ? { ssh_key_ids: [...ssh_keys] } : {}),
    ...(ports?.length ? { ports: [...ports] } : {}),
    ...(start ? {} : { start }),
    ...(queues ? { when_full: 'queue' } : {}),
  })

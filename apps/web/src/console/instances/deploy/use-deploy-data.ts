import { IngotError } from '@ingot/contracts/errors'
import { type Price, priceOf } from '@ingot/contracts/catalog'
import { runningRateMicro } from '@ingot/contracts/instance-costs'
import { type Micro, parseUsd } from '@ingot/contracts/money'
import { minimumDepositUsdt } from '@ingot/contracts/wallet'
import { useQuery } from '@tanstack/react-query'
import type { GpuEntry, RegionEntry } from '@ingot/contracts/catalog-calls'
import { instancesQuery } from '../queries.ts'
import { settingsQuery } from '../../shell/api.ts'
import { isUnknown, templateQuery } from '../../templates/queries.ts'
import { walletQuery } from '../../wallet/queries.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useRunway } from '../../wallet/wallet.tsx'
import type { DeploySearch } from './deploy-search.ts'
import { type Stock, stockOf } from './stock.ts'

/** What the service sells now. */
export interface DeployCatalog {
  readonly gpus: readonly GpuEntry[]
  readonly regions: readonly RegionEntry[]
}

/** All that the deploy screen shows beside the choices: price, stock, region, template, wallet. */
export function useDeployData(
  { choices, templateId, templateKey }: DeploySearch,
  { gpus, regions }: DeployCatalog,
) {
  const template = useQuery(templateQuery(templateId, templateKey))
  const wallet = useQuery(walletQuery)
  const running = useQuery(instancesQuery({ status: 'running', limit: 100 }))
  const settings = useQuery(settingsQuery)
  const now = useNow(60_000)
  const { funds } = useRunway()

  // The address is read against the same catalogue: whatever is chosen is in it.
  const gpu = gpus.find(each => each.name === choices.gpu_type)!
  const region = regions.find(each => each.id === choices.region)!
  const price: Price = priceOf(gpu, choices, choices.billing_period)
  const stock: Stock = stockOf(gpu, choices.region, choices.gpu_count, regions)
  return {
    gpu,
    price,
    stock,
    region,
    template: template.data,
    /** For whoever chooses nothing. */
    preferences: settings.data,
    /** There is none of this id, or not for whoever is signed in. */
    isTemplateUnknown: isUnknown(template.error),
    wallet: {
      /** With credit. */
      balance: wallet.data ? funds : (null as Micro | null),
      /** What a deploy that starts must leave in it, for what runs. */
      reserve: choices.start && wallet.data ? parseUsd(wallet.data.start_reserve) : 0n,
      /** The wallet itself counts an instance only when its prepaid hour is over; it will be soon. */
      spendingPerHour: runningRateMicro(running.data?.items ?? [], now),
      problem: wallet.isError && !wallet.data ? walletProblem(wallet.error) : null,
      retry: () => void wallet.refetch(),
    },
    minimumDeposit: parseUsd(minimumDepositUsdt),
  }
}

const walletProblem = (error: Error): string =>
  error instanceof IngotError && error.code === 'wallet_not_created'
    ? error.message
    : 'Failed to check wallet balance'

/**
 * The wallet as every part of the console sees it: the balance of this moment, a refresh that never crowds the service,
 * and the one dialog that adds funds. A balance that could not be loaded is 0 and says so (`isUnknown`).
 */
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { clockOffset, useNow } from '../../ui/use-now.ts'
import { walletQuery } from './queries.ts'
import { createThrottle } from './refresh-throttle.ts'
import { useServiceClock } from './service-clock.ts'
import { type Runway, runwayOf } from './runway.ts'

const refreshEveryMs = 3000
const nothing = {
  balance_usd: '0.000000',
  spending_per_hour: '0.000000',
  drawing_per_hour: '0.000000',
  empty_at: null,
  start_reserve: '0.000000',
  credit: null,
  is_test_network: false,
}

/** Kept in this browser: a balance that cannot be loaded must not take the warning with it. */
const networkKey = 'ingot-test-network'
const lastNetworkWasTest = (): boolean => localStorage.getItem(networkKey) === 'yes'

export interface AddFunds {
  readonly isOpen: boolean
  /** What the amount field begins with, such as a shortfall. */
  readonly amount: string
}

interface WalletState {
  readonly isLoading: boolean
  readonly isUnknown: boolean
  readonly spendingPerHour: string
  readonly emptyAt: string | null
  readonly fetchedAt: number
  readonly isTestNetwork: boolean
  readonly refresh: () => void
  readonly funding: AddFunds
  /** Opens the deposit dialog; an amount, such as `25.00`, is filled in. */
  readonly addFunds: (amount?: string) => void
  readonly closeFunding: () => void
}

const WalletContext = createContext<WalletState | null>(null)

export function WalletProvider({ children }: { readonly children: ReactNode }) {
  const { data, isPending, isError, error, refetch, dataUpdatedAt } = useQuery(walletQuery)
  const [funding, setFunding] = useState<AddFunds>({ isOpen: false, amount: '' })
  const refresh = useMemo(() => createThrottle(() => refetch(), refreshEveryMs), [refetch])
  useEffect(() => {
    if (error) console.warn('the wallet could not be loaded', error)
  }, [error])

  const [wasTest] = useState(lastNetworkWasTest)
  const isTest = data?.is_test_network
  useEffect(() => {
    if (isTest !== undefined) localStorage.setItem(networkKey, isTest ? 'yes' : 'no')
  }, [isTest])
  const wallet = data ?? nothing
  useServiceClock(wallet.is_test_network)
  const state: WalletState = {
    isLoading: isPending && !isError,
    isUnknown: isError && !data,
    spendingPerHour: wallet.spending_per_hour,
    emptyAt: wallet.empty_at,
    fetchedAt: dataUpdatedAt,
    isTestNetwork: isTest ?? wasTest,
    refresh: () => void refresh(),
    funding,
    addFunds: (amount = '') => setFunding({ isOpen: true, amount }),
    closeFunding: () => setFunding({ isOpen: false, amount: '' }),
  }
  return <WalletContext.Provider value={state}>{children}</WalletContext.Provider>
}

export function useWallet(): WalletState {
  const state = useContext(WalletContext)
  if (!state) throw new Error('useWallet must be used within a WalletProvider')
  return state
}

/** What a charge is taken from, in words. */
export const fundsWord = ({ credit }: Pick<Runway, 'credit'>): string =>
  credit > 0n ? 'balance and credit' : 'balance'

/** The balance and what is left of it, as it falls. Only what shows the figure draws itself anew. */
export function useRunway(): Runway {
  const { data, dataUpdatedAt } = useQuery(walletQuery)
  const now = useNow(10_000)
  const fetchedAt = dataUpdatedAt + clockOffset()
  return runwayOf(data ?? nothing, fetchedAt, Math.max(now.getTime(), fetchedAt))
}

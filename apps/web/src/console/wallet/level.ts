/** The balance's level as a person sees it: a word and a shape beside the colour. */
import type { BalanceLevel } from '@ingot/contracts/wallet'
import type { StatusKind } from '../../ui/StatusShape.tsx'

export const levels: Record<BalanceLevel, { readonly word: string; readonly kind: StatusKind }> = {
  good: { word: 'Good', kind: 'running' },
  low: { word: 'Low', kind: 'attention' },
  empty: { word: 'Empty', kind: 'failed' },
}

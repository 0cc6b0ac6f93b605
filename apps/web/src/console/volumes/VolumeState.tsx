import type { Volume } from '@ingot/contracts/volumes'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { stateOf } from './volume-text.ts'

interface VolumeStateProps {
  readonly volume: Volume
  /** When it is deleted stands below the word: a row has no room beside it. */
  readonly narrow?: boolean
}

/** Its state in a mark and a word, with the seconds since it is being made or the time left until it is deleted. */
export function VolumeState({ volume, narrow = false }: VolumeStateProps) {
  const now = useNow(volume.status === 'creating' ? 1_000 : 60_000)
  const { kind, word, detail } = stateOf(volume, now)
  const isBelow = narrow && kind === 'attention'
  const mark = (
    <StatusMark kind={kind} detail={isBelow ? null : detail}>
      {word}
    </StatusMark>
  )
  if (!isBelow) return mark
  return (
    <span className="inline-flex flex-col whitespace-nowrap max-sm:items-end">
      {mark}
      <span className="text-label font-normal text-muted tabular-nums">{detail}</span>
    </span>
  )
}

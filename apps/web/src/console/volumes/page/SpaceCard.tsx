import type { Volume } from '@ingot/contracts/volumes'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { cx } from '../../../ui/cx.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { UsedBar } from '../UsedBar.tsx'
import { isNearlyFull, usedText, whyNot } from '../volume-text.ts'
import type { VolumeDialog } from '../volumes-search.ts'

interface SpaceCardProps {
  readonly volume: Volume
  readonly onOpen: (dialog: VolumeDialog) => void
}

/** How full it is, and more room. */
export function SpaceCard({ volume, onOpen }: SpaceCardProps) {
  const offline = useOfflineReason()
  return (
    <Card
      title="Space"
      className=""
      aside={
        <Button onClick={() => onOpen('grow')} disabledReason={whyNot('grow', volume) ?? offline}>
          Make larger
        </Button>
      }
    >
      <UsedBar volume={volume} />
      <p className={cx('tabular-nums', isNearlyFull(volume) ? 'font-semi text-warn' : 'text-muted')}>
        {volume.used_bytes === null ? `${usedText(volume)}, not measured yet` : `${usedText(volume)} used`}
        {volume.growing && <span className="text-info">, being made that large</span>}
      </p>
    </Card>
  )
}

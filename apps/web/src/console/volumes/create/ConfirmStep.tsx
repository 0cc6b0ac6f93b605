import { formatUsd, type Micro } from '@ingot/contracts/money'
import { takeFocus } from '../../session/take-focus.ts'
import { formatMoney } from '../../../ui/format.ts'
import { PropertyList } from '../../../ui/PropertyList.tsx'
import { FailedBand } from '../FailedBand.tsx'
import { Shortfall } from '../PaidNow.tsx'
import { caveatOf, formatSize } from '../volume-text.ts'
import type { ChosenVolume, VolumeRegion } from './ChooseStep.tsx'

interface ConfirmStepProps {
  readonly chosen: ChosenVolume
  readonly region: VolumeRegion | undefined
  readonly price: Micro
  readonly error: unknown
}

/** What is bought, once more, before it is paid. */
export function ConfirmStep({ chosen: { name, size_gb, region }, price, error, ...about }: ConfirmStepProps) {
  const caveat = about.region ? caveatOf({ ...about.region, size_gb }) : null
  const month = formatMoney(formatUsd(price))
  return (
    <div ref={takeFocus} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      <PropertyList
        properties={[
          { name: 'Name', value: <span className="break-words">{name}</span> },
          { name: 'Region', value: `${region}, for instances there` },
          { name: 'Size', value: `${formatSize(size_gb)}. It can grow later, never shrink.` },
          { name: 'First month', value: `${month}, charged now. It begins when the volume is available.` },
          { name: 'Then', value: `${month} each month of 720 hours, until you delete it` },
          { name: 'If deleted', value: 'The time not used returns to your balance.' },
        ]}
      />
      {caveat && <p className="text-muted">{caveat}</p>}
      <p className="text-muted">If it can’t be made, all of it returns.</p>
      {error ? (
        <FailedBand failed="Failed to create volume" error={error} price={price} />
      ) : (
        <Shortfall price={price} />
      )}
    </div>
  )
}

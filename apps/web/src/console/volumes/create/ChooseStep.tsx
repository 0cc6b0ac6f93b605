import type { Output } from '@ingot/contracts/operation'
import { maxVolumeName, type volumes } from '@ingot/contracts/volumes'
import { Field } from '../../../ui/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { sentence } from '../../shell/sentence.ts'
import { SizeChoice } from '../SizeChoice.tsx'

export type VolumeRegion = Output<typeof volumes.regions>['items'][number]

export interface ChosenVolume {
  readonly name: string
  readonly size_gb: number
  readonly region: string
}

export type FieldErrors = Readonly<Record<string, string>>

interface ChooseStepProps {
  readonly chosen: Omit<ChosenVolume, 'region'> & { readonly region: string | undefined }
  readonly regions: readonly VolumeRegion[]
  readonly errors: FieldErrors
  readonly onChoose: (change: Partial<ChosenVolume>) => void
}

export function ChooseStep({ chosen, regions, errors, onChoose }: ChooseStepProps) {
  const region = regions.find(each => each.region === chosen.region)
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
        <Field label="Name" required error={errors['name']}>
          <Input
            value={chosen.name}
            maxLength={maxVolumeName}
            autoComplete="off"
            spellCheck={false}
            onChange={event => onChoose({ name: event.target.value })}
          />
        </Field>
        <Field label="Region" error={errors['region']}>
          <Select
            value={chosen.region}
            placeholder={regions.length ? 'Choose a region' : 'Loading'}
            onValueChange={value => onChoose({ region: value })}
            options={regions.map(each => ({
              value: each.region,
              label: each.region,
              hint: each.reason ?? undefined,
              disabled: !each.available,
            }))}
          />
        </Field>
      </div>
      <div className="flex flex-col gap-1 text-label font-normal text-muted">
        {region && <p>{whoText(region)}</p>}
        {regions
          .filter(each => !each.available)
          .map(each => (
            <p key={each.region}>
              {each.region}: {sentence(each.reason ?? 'It takes no volumes now')}
            </p>
          ))}
      </div>
      <SizeChoice gb={chosen.size_gb} onGb={size_gb => onChoose({ size_gb })} error={errors['size_gb']} />
    </>
  )
}

/** Who could use it there, and when. */
function whoText({ region, instances, attaches_while_running }: VolumeRegion): string {
  if (instances === 0)
    return `You have no instance in ${region} that could use it now. A volume serves instances of its own region.`
  const who = instances === 1 ? '1 of your instances is' : `${instances} of your instances are`
  return `${who} in ${region} and can use it${attaches_while_running ? '' : ', from a start: attach it while it is stopped'}.`
}

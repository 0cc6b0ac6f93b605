import {
  dataStorageGb,
  extraStoragePerGbMonth,
  includedStorageGb,
  systemStorageGb,
} from '@ingot/contracts/catalog'
import { formatGb, formatMoney } from '../../../ui/format.ts'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import type { DeployChoices } from './deploy-search.ts'

const sizes = (values: readonly number[]) => values.map(gb => ({ value: String(gb), label: formatGb(gb) }))

interface StorageChoiceProps {
  readonly choices: DeployChoices
  readonly onChange: (changes: Partial<DeployChoices>) => void
}

export function StorageChoice({ choices, onChange }: StorageChoiceProps) {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap gap-x-12 gap-y-4">
        <RadioGroup
          legend="System storage"
          layout="segments"
          options={sizes(systemStorageGb)}
          value={String(choices.system_storage_gb)}
          onValueChange={gb => onChange({ system_storage_gb: Number(gb) })}
        />
        <RadioGroup
          legend="Data storage"
          layout="segments"
          options={sizes(dataStorageGb)}
          value={String(choices.data_storage_gb)}
          onValueChange={gb => onChange({ data_storage_gb: Number(gb) })}
        />
      </div>
      <p className="text-label font-normal text-muted">
        {formatGb(includedStorageGb)} are included; each GB beyond costs {formatMoney(extraStoragePerGbMonth)}{' '}
        per month. The disk is deleted with the instance.
      </p>
    </div>
  )
}

import { maxInstanceName } from '@ingot/contracts/instances'
import type { GpuEntry, RegionEntry } from '@ingot/contracts/catalog-calls'
import { gpuCounts, priceOf } from '@ingot/contracts/catalog'
import type { TemplateDetails } from '@ingot/contracts/templates'
import type { ReactNode } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { AtLimitChoice } from '../../budgets/AtLimitChoice.tsx'
import { KeyChoice } from '../../ssh/KeyChoice.tsx'
import type { useTypedText } from '../../list/use-typed-text.ts'
import type { AutoShutdown } from '../auto-shutdown.ts'
import { AutoShutdownField } from '../AutoShutdownField.tsx'
import type { DeployChoices } from './deploy-search.ts'
import { GpuChoice } from './GpuChoice.tsx'
import { EnvField } from './inside/EnvField.tsx'
import { type EnvRow, saidOfEnv } from './inside/env-rows.ts'
import { PortsField } from './inside/PortsField.tsx'
import { PeriodChoice } from './PeriodChoice.tsx'
import { RegionChoice } from './RegionChoice.tsx'
import { type Stock, stockText } from './stock.ts'
import { StorageChoice } from './StorageChoice.tsx'
import { TermEndChoice } from './TermEndChoice.tsx'

interface ConfigureStepProps {
  readonly choices: DeployChoices
  readonly onChange: (changes: Partial<DeployChoices>) => void
  /** The name as it is typed. */
  readonly typed: ReturnType<typeof useTypedText>
  /** The one that is chosen. */
  readonly gpu: GpuEntry
  readonly gpus: readonly GpuEntry[]
  readonly regions: readonly RegionEntry[]
  readonly stock: Stock
  /** Auto-shutdown where nothing is chosen. */
  readonly preferences: AutoShutdown | undefined
  readonly unsoldGpu: string | null
  readonly budget: ReturnType<typeof useTypedText>
  /** What is wrong with it. */
  readonly budgetError: string | null
  /** Undefined until it is known. */
  readonly template: TemplateDetails | undefined
  readonly env: readonly EnvRow[]
  readonly onEnv: (rows: readonly EnvRow[]) => void
  /** What the service said about a field at the last try. */
  readonly errors: Readonly<Record<string, string>>
}

/** Step 1: name, billing period, GPU type, GPU count, region, storage. */
export function ConfigureStep(props: ConfigureStepProps) {
  const {
    choices,
    onChange,
    typed,
    budget,
    budgetError,
    gpu,
    gpus,
    regions,
    stock,
    preferences,
    unsoldGpu,
    errors,
    template,
  } = props
  const shortage = stockText(stock, choices.gpu_type, choices.region)
  return (
    <div className="flex flex-col gap-8">
      <div className="max-w-auth">
        <Field
          label="Name"
          required
          hint="Shown in lists, bills and the shell's prompt."
          error={errors['name']}
        >
          <Input
            value={typed.text}
            maxLength={maxInstanceName}
            autoComplete="off"
            spellCheck={false}
            placeholder="llama-ft-07"
            onChange={event => typed.onType(event.target.value)}
            onBlur={typed.flush}
            onKeyDown={event => event.key === 'Enter' && typed.flush()}
          />
        </Field>
      </div>
      <Part error={errors['billing_period']}>
        <PeriodChoice
          gpu={gpu}
          configuration={choices}
          value={choices.billing_period}
          onValueChange={billing_period => onChange({ billing_period })}
        />
      </Part>
      {choices.billing_period !== 'hourly' && (
        <Part error={errors['on_term_end']}>
          <TermEndChoice
            price={priceOf(gpu, choices, choices.billing_period)}
            period={choices.billing_period}
            value={choices.on_term_end}
            onValueChange={on_term_end => onChange({ on_term_end })}
          />
        </Part>
      )}
      <Part
        title="GPU type"
        error={
          errors['gpu_type'] ??
          (unsoldGpu ? `${unsoldGpu} is not on sale. ${gpu.name} is chosen instead.` : undefined)
        }
      >
        <GpuChoice
          gpus={gpus}
          regions={regions}
          region={choices.region}
          count={choices.gpu_count}
          value={choices.gpu_type}
          onValueChange={gpu_type => onChange({ gpu_type })}
        />
      </Part>
      <Part error={errors['gpu_count']}>
        <RadioGroup
          legend="GPU count"
          layout="segments"
          options={gpuCounts.map(count => ({ value: String(count), label: String(count) }))}
          value={String(choices.gpu_count)}
          onValueChange={count => onChange({ gpu_count: Number(count) })}
        />
        {shortage && (
          <div className="pt-2">
            <Band
              tone="warn"
              action={
                stock.kind === 'elsewhere' && (
                  <Button onClick={() => onChange({ region: stock.region })}>Use {stock.region}</Button>
                )
              }
            >
              {shortage}
            </Band>
          </div>
        )}
      </Part>
      <Part title="Region" error={errors['region']}>
        <RegionChoice
          regions={regions}
          gpu={gpu}
          value={choices.region}
          onValueChange={region => onChange({ region })}
        />
      </Part>
      <Part error={errors['system_storage_gb'] ?? errors['data_storage_gb']}>
        <StorageChoice choices={choices} onChange={onChange} />
      </Part>
      <div className="max-w-auth">
        <AutoShutdownField
          present={preferences}
          choice={choices.auto_shutdown}
          onChoice={auto_shutdown => onChange({ auto_shutdown })}
        />
      </div>
      <Part
        error={
          errors['ssh_key_ids'] ??
          (choices.ssh_keys?.length === 0 ? 'Choose at least one of them' : undefined)
        }
      >
        <KeyChoice
          value={choices.ssh_keys ?? null}
          onValueChange={keys => onChange({ ssh_keys: keys ?? undefined })}
        />
      </Part>
      <div className="max-w-auth">
        <PortsField
          ports={choices.ports ?? []}
          template={template?.ports ?? []}
          error={saidOf('ports', errors)}
          onChange={ports => onChange({ ports: ports.length > 0 ? ports : undefined })}
        />
      </div>
      <div className="max-w-dialog-m">
        <EnvField
          rows={props.env}
          onChange={props.onEnv}
          template={template?.env ?? {}}
          error={saidOfEnv(errors)}
        />
      </div>
      <div className="flex max-w-auth flex-col gap-4">
        <Field
          label="Budget for this instance"
          optional
          hint="In dollars, of all that it costs over its life. What is paid now counts."
          error={budgetError ?? errors['budget']}
        >
          <Input
            value={budget.text}
            inputMode="decimal"
            autoComplete="off"
            maxLength={16}
            placeholder="50.00"
            onChange={event => budget.onType(event.target.value)}
            onBlur={budget.flush}
            onKeyDown={event => event.key === 'Enter' && budget.flush()}
          />
        </Field>
        {budget.text && !budgetError && (
          <AtLimitChoice
            value={choices.budget_at ?? 'stop'}
            onValueChange={value => onChange({ budget_at: value === 'stop' ? undefined : value })}
          />
        )}
      </div>
    </div>
  )
}

/** Of the field itself, or of something in it. */
const saidOf = (field: string, errors: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(errors).find(([name]) => name === field || name.startsWith(`${field}.`))?.[1]

interface PartProps {
  readonly title?: string
  readonly error: string | undefined
  readonly children: ReactNode
}

function Part({ title, error, children }: PartProps) {
  return (
    <div className="min-w-0">
      {title && <p className="pb-1 font-medium">{title}</p>}
      {children}
      {error && <p className="pt-1 text-label text-danger">{error}</p>}
    </div>
  )
}

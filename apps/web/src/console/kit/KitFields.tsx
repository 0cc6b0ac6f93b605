import { useState } from 'react'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { Picker } from '../../ui/Picker.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { Textarea } from '../../ui/Textarea.tsx'
import { KitRow, KitSection } from './KitSection.tsx'

const regions = [
  { value: 'US-East', label: 'US-East', hint: '12 free' },
  { value: 'US-West', label: 'US-West', hint: '3 free' },
  { value: 'Middle-East', label: 'Middle-East', hint: 'None free', disabled: true },
]

const machines = [
  { id: '', label: 'All Instances' },
  { id: '1', label: 'llama-ft-07' },
  { id: '2', label: 'sdxl-render', hint: 'Deleted' },
]

export function KitFields() {
  const [region, setRegion] = useState<string>()
  const [status, setStatus] = useState('any')
  const [period, setPeriod] = useState('hourly')
  const [size, setSize] = useState('50')
  const [checked, setChecked] = useState<boolean | 'indeterminate'>(true)
  const [on, setOn] = useState(true)
  const [machine, setMachine] = useState('')
  const [looked, setLooked] = useState('')
  return (
    <KitSection title="Fields">
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <Field label="Name" hint="Letters, digits and dashes.">
          <Input placeholder="llama-ft-07" />
        </Field>
        <Field label="Name" error="Please provide a valid instance name">
          <Input defaultValue=" " />
        </Field>
        <Field label="Company" optional>
          <Input autoComplete="organization" />
        </Field>
        <Field label="Email" hint="It cannot be changed.">
          <Input readOnly value="ana@example.com" />
        </Field>
        <Field label="Password" hint="Password must be at least 6 characters">
          <PasswordInput autoComplete="new-password" defaultValue="correct horse" />
        </Field>
        <Field label="Disk" hint="10 to 5000 GB.">
          <Input defaultValue="50" inputMode="numeric" end="GB" />
        </Field>
        <Field label="Region">
          <Select options={regions} value={region} onValueChange={setRegion} placeholder="Choose a region" />
        </Field>
        <Field label="Region" error="Choose a region">
          <Select
            options={regions}
            value={undefined}
            onValueChange={() => {}}
            placeholder="Choose a region"
          />
        </Field>
        <Field label="Region">
          <Select options={regions} value="US-East" onValueChange={() => {}} disabled />
        </Field>
        <Field label="Message">
          <Textarea placeholder="What happened, and when" />
        </Field>
        <Field label="Message" error="Please fill in all fields">
          <Textarea />
        </Field>
        <Field label="Disabled">
          <Input disabled value="Not now" />
        </Field>
      </div>
      <KitRow name="Filter">
        <Input
          aria-label="Filter by name or GPU"
          placeholder="Filter by name or GPU"
          end={<Kbd>/</Kbd>}
          className="max-w-aside"
        />
        <Select
          aria-label="Status"
          prefix="Status"
          options={[
            { value: 'any', label: 'any' },
            { value: 'running', label: 'running' },
            { value: 'stopped', label: 'stopped' },
          ]}
          value={status}
          onValueChange={setStatus}
        />
      </KitRow>
      <KitRow name="Picker">
        <Picker
          label="Instance"
          text={machines.find(({ id }) => id === machine)?.label ?? ''}
          value={machine}
          items={machines.filter(({ label }) => label.includes(looked))}
          searchLabel="Name or id"
          maxLength={100}
          onSearch={setLooked}
          onPick={setMachine}
          note="Older ones are found by what is typed."
        />
      </KitRow>
      <KitRow name="Checkbox">
        <Checkbox label="Remember me" checked={checked} onCheckedChange={setChecked} />
        <Checkbox label="Some rows" checked="indeterminate" onCheckedChange={() => {}} />
        <Checkbox label="Off" hint="With a hint" checked={false} onCheckedChange={() => {}} />
        <Checkbox label="Disabled" checked disabled onCheckedChange={() => {}} />
      </KitRow>
      <KitRow name="RadioGroup">
        <RadioGroup
          legend="Billing period"
          value={period}
          onValueChange={setPeriod}
          options={[
            { value: 'hourly', label: 'Hourly', hint: 'By the second' },
            { value: '3month', label: '3 months' },
            { value: '1year', label: '1 year', disabled: true },
          ]}
        />
      </KitRow>
      <KitRow name="RadioGroup, cards">
        <RadioGroup
          legend="Size"
          layout="cards"
          value={size}
          onValueChange={setSize}
          options={[
            { value: '10', label: '10 GB', hint: '$1.00 per month' },
            { value: '50', label: '50 GB', hint: '$5.00 per month' },
            { value: '100', label: '100 GB', hint: '$10.00 per month' },
          ]}
        />
      </KitRow>
      <div className="flex max-w-prose flex-col gap-4">
        <Switch label="Auto-shutdown" hint="Stops an idle instance." checked={on} onCheckedChange={setOn} />
        <Switch label="Marketing emails" checked={false} onCheckedChange={() => {}} disabled />
      </div>
    </KitSection>
  )
}

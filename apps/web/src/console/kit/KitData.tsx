import { useEffect, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { CommandBlock } from '../../ui/CommandBlock.tsx'
import { formatBytes, formatDuration, formatGb } from '../../ui/format.ts'
import { HeatStrip } from '../../ui/HeatStrip.tsx'
import { Money } from '../../ui/Money.tsx'
import { ProgressSteps } from '../../ui/ProgressSteps.tsx'
import { PropertyList } from '../../ui/PropertyList.tsx'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { StepBar } from '../../ui/StepBar.tsx'
import { TabPanel, Tabs } from '../../ui/Tabs.tsx'
import { Time } from '../../ui/Time.tsx'
import { KitRow, KitSection } from './KitSection.tsx'

const cells = 30

export function KitData() {
  const [samples, setSamples] = useState([12, 30, 45, 61, 77, 96, 91])
  const [tab, setTab] = useState<'overview' | 'logs' | 'events'>('overview')
  const [opened] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setSamples(old => [...old, (old.length * 37) % 101]), 3000)
    return () => clearInterval(timer)
  }, [])
  const recent = samples.slice(-cells)
  const ago = (ms: number) => new Date(opened - ms).toISOString()
  return (
    <KitSection title="Data">
      <KitRow name="StatusMark">
        <StatusMark kind="running">Running</StatusMark>
        <StatusMark kind="changing" detail="2 s">
          Stopping
        </StatusMark>
        <StatusMark kind="stopped">Stopped</StatusMark>
        <StatusMark kind="attention">Disk nearly full</StatusMark>
        <StatusMark kind="failed">Failed</StatusMark>
        <StatusMark kind="gone">No contact since 14:02</StatusMark>
      </KitRow>
      <KitRow name="HeatStrip">
        <HeatStrip
          label="GPU load, last hour"
          values={[...Array.from({ length: cells - recent.length }, () => null), ...recent]}
          sample={samples.length}
        />
        <HeatStrip label="GPU load, one of each step" values={[0, 10, 30, 50, 70, 90]} />
      </KitRow>
      <KitRow name="Money">
        <Money value="4.100000" per="h" />
        <Money value="17958.000000" />
        <Money value="17958.000000" wholeDollars />
        <Money value="0.005556" />
        <Money value="0.754321" />
        <Money value="0.754321" rate />
        <Money value="0.754321" exact />
        <Money value="-12.500000" />
      </KitRow>
      <KitRow name="Time, duration, size">
        <Time at={ago(5_000)} />
        <Time at={ago(720_000)} />
        <Time at={ago(5 * 3_600_000)} />
        <Time at={ago(90 * 86_400_000)} />
        <Time at={ago(720_000)} exact />
        <span className="tabular-nums">{formatDuration(273_600_000)}</span>
        <span className="tabular-nums">{formatBytes(7_400_000_000)}</span>
        <span className="tabular-nums">{formatGb(1000)}</span>
      </KitRow>
      <div className="grid grid-cols-1 gap-8 lg:grid-cols-2">
        <PropertyList
          properties={[
            {
              name: 'Id',
              value: '01980000-0000-7000-8000-000000000001',
              copy: '01980000-0000-7000-8000-000000000001',
            },
            { name: 'Region', value: 'US-East' },
            { name: 'Costs', value: <Money value="4.100000" per="h" /> },
            { name: 'While stopped', value: '$0.00/h' },
          ]}
        />
        <CommandBlock
          label="The same as a command"
          commands={[
            {
              tool: 'HTTP',
              text: 'curl $INGOT_URL/v1/instances \\\n  -H "Authorization: Bearer $INGOT_API_KEY"',
            },
            { tool: 'JavaScript', text: 'const { items } = await client.instances.list()' },
          ]}
        />
        <ProgressSteps
          label="Starting vllm-canary"
          steps={[
            { label: 'Reserve a machine', state: 'done', detail: '0.4 s' },
            { label: 'Pull the image', state: 'active', detail: '3.1 of 7.4 GB' },
            { label: 'Start', state: 'waiting' },
            { label: 'Answer on port 22', state: 'failed', detail: 'no answer in 30 s' },
          ]}
        />
        <div className="flex flex-col gap-6">
          <StepBar step={1} of={2} />
          <StepBar step={2} of={2} />
        </div>
      </div>
      <Tabs
        label="Instance"
        tabs={[
          { value: 'overview', label: 'Overview' },
          { value: 'logs', label: 'Logs', count: 3 },
          { value: 'events', label: 'Events' },
        ]}
        value={tab}
        onValueChange={setTab}
        aside={<Button variant="ghost">Export</Button>}
      >
        <TabPanel value="overview">Overview</TabPanel>
        <TabPanel value="logs">Logs</TabPanel>
        <TabPanel value="events">Events</TabPanel>
      </Tabs>
    </KitSection>
  )
}

import { useState } from 'react'
import { appToast } from '../../ui/app-toast.ts'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { CommandBlock } from '../../ui/CommandBlock.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { toast } from '../../ui/toast.ts'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { usePending } from '../../ui/use-pending.ts'
import { KitRow, KitSection } from './KitSection.tsx'

export function KitFeedback() {
  return (
    <KitSection title="Feedback">
      <KitRow name="App toast">
        <Button
          onClick={() =>
            appToast({
              title: 'Payment Confirmed!',
              description: 'Your wallet has been credited with $25.00',
            })
          }
        >
          Confirmed
        </Button>
        <Button
          onClick={() =>
            appToast({
              title: 'Error',
              description: 'Could not load payment configuration',
              variant: 'destructive',
            })
          }
        >
          Destructive
        </Button>
      </KitRow>
      <KitRow name="Toast">
        <Button onClick={() => toast.default('Message sent')}>Default</Button>
        <Button onClick={() => toast.success('Welcome back!')}>Success</Button>
        <Button onClick={() => toast.info('Stopping llama-ft-07.')}>Info</Button>
        <Button onClick={() => toast.warning('Balance lasts 2 hours')}>Warning</Button>
        <Button onClick={() => toast.error('Failed to detach volume')}>Error</Button>
        <Button
          onClick={() => {
            const id = toast.loading('Detaching volume')
            setTimeout(() => toast.success('Volume detached successfully', { id }), 2000)
          }}
        >
          Loading
        </Button>
      </KitRow>
      <Band tone="info">You are acting as a customer.</Band>
      <Band
        tone="warn"
        action={
          <a href="#add-funds" className="underline">
            Add funds
          </a>
        }
      >
        Your balance lasts 12 hours at this rate: until 21 Nov 2026, 14:02 UTC.
      </Band>
      <Band tone="danger">Your balance is empty. 2 instances were stopped.</Band>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <EmptyState
          title="An instance is a GPU machine that you rent by the second."
          action={<Button variant="primary">Deploy instance</Button>}
          command={
            <CommandBlock
              label="The same as a command"
              commands={[{ tool: 'HTTP', text: 'curl -X POST $INGOT_URL/v1/instances' }]}
            />
          }
        >
          You have none yet.
        </EmptyState>
        <ErrorState
          title="The instances could not be loaded"
          requestId="req_01J9Z3K4M5N6P7Q8R9"
          onRetry={() => {}}
          action={
            <a href="#status" className="link">
              Status
            </a>
          }
        >
          Your instances keep running; only this list is missing.
        </ErrorState>
      </div>
      <Loading />
    </KitSection>
  )
}

/** Press with both times to see the rule: nothing for 150 ms, then the skeleton for at least 300 ms. */
function Loading() {
  const [loading, setLoading] = useState(false)
  const { waiting, skeleton } = usePending(loading)
  const load = (ms: number) => {
    setLoading(true)
    setTimeout(() => setLoading(false), ms)
  }
  return (
    <>
      <KitRow name="Skeleton">
        <Button onClick={() => load(100)}>Answer in 100 ms</Button>
        <Button onClick={() => load(200)}>Answer in 200 ms</Button>
        <Button onClick={() => load(2000)}>Answer in 2 s</Button>
        <span>{waiting ? 'Waiting' : 'Answered'}</span>
      </KitRow>
      {skeleton && <SkeletonRows rows={3} />}
      <SkeletonRows rows={2} />
    </>
  )
}

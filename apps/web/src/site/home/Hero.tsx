import { buttonClass } from '../../ui/button-class.ts'
import { Tape } from '../../ui/Tape.tsx'
import { DeployCommand } from './DeployCommand.tsx'
import { FloorBoard } from './FloorBoard.tsx'

export function Hero() {
  return (
    <div className="grid gap-12 pt-12 pb-16 lg:grid-cols-2 lg:gap-16 lg:pt-16">
      <div className="min-w-0">
        <h1 className="text-display">
          Build the <Tape>future</Tape>, not infrastructure
        </h1>
        <p className="mt-6 max-w-prose text-lead text-muted">
          GPU instances from templates, ready in under 60 seconds. You pay by the second from a prepaid
          balance, and nothing for compute once you stop.
        </p>
        <div className="mt-8 flex flex-wrap gap-3">
          <a href="/get-started" className={buttonClass('primary', 'l')}>
            Get Started
          </a>
          <a href="/docs" className={buttonClass('secondary', 'l')}>
            Read the docs
          </a>
        </div>
        <DeployCommand />
      </div>
      <FloorBoard />
    </div>
  )
}

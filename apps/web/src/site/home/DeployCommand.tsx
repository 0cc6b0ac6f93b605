import { Scroller } from '../../ui/Scroller.tsx'
import { useShown } from '../shown.ts'
import { deployCommand, deployHourlyCost } from './deploy-request.ts'

/** The whole of a deployment as one call, and the part of the answer that says what it costs. */
export function DeployCommand() {
  const shown = useShown()
  const command = deployCommand(shown.origin)
  return (
    <figure className="mt-12 rounded-panel bg-sunken">
      <div className="flex items-center justify-between px-4 pt-2">
        <figcaption className="text-label text-muted">Deploy one H100 over HTTP</figcaption>
        <button
          type="button"
          data-island="copy"
          data-copy={command}
          className="needs-script h-8 rounded-control px-2 text-label text-link hover:text-link-hover"
        >
          Copy
        </button>
      </div>
      <Scroller label="Command" className="overflow-x-auto px-4 pt-1 pb-4">
        <pre className="font-mono text-code">
          <span className="text-muted select-none">$ </span>
          {command}
          {'\n'}
          <span className="text-ok">{`{ "status": "starting", "hourly_cost": "${deployHourlyCost(shown)}", … }`}</span>
        </pre>
      </Scroller>
    </figure>
  )
}

import type { ActorKind } from '@ingot/contracts/activity'
import type { InstanceEvent } from '@ingot/contracts/instance/watching'
import { Time } from '../../../ui/Time.tsx'

const actorWords: Record<ActorKind, string> = {
  user: 'by you',
  api_key: 'by API key',
  schedule: 'by schedule',
  staff: 'by staff',
  system: 'by the service',
}

/** One fact of an instance: who did what, by which call. */
export function EventRow({ event }: { readonly event: InstanceEvent }) {
  const { at, action, message, actor, operation } = event
  return (
    <li className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-4 py-2 first:border-t-0">
      <span className="w-full text-muted sm:w-auto sm:min-w-24">
        <Time at={at} exact />
      </span>
      <span className="min-w-0 flex-1">
        <span className="font-medium">{actionWords(action)}</span>
        {actor && <span className="text-muted"> {actorWords[actor]}</span>}
        {operation && <code className="font-mono text-code text-muted"> {operation}</code>}
        {message && <span className="block break-words whitespace-pre-line text-muted">{message}</span>}
      </span>
    </li>
  )
}

/** `instance_usage_charged` → `Usage charged`. */
function actionWords(action: string): string {
  const words = action.replace(/^instance_/, '').replaceAll('_', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

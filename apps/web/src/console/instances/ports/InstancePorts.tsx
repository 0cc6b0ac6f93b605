import type { Instance } from '@ingot/contracts/instances'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { portsQuery } from '../queries.ts'
import { OpenPortButton } from './OpenPortButton.tsx'

/** In the details: what can be opened, and the way to the rest. Where ports are off there is nothing. */
export function InstancePorts({ instance }: { readonly instance: Instance }) {
  const { data } = useQuery(portsQuery(instance.id))
  if (!data) return null
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-heading">Ports</h3>
      {data.length > 0 && (
        <ul className="flex flex-col gap-2">
          {data.map(port => (
            <li key={port.port} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <span className="min-w-0 break-words">
                {port.name} <code className="font-mono text-code text-muted">{port.port}</code>
              </span>
              <OpenPortButton instance={instance} port={port} />
            </li>
          ))}
        </ul>
      )}
      <Link
        to="/console/instances/$id/ports"
        params={{ id: instance.id }}
        className="link inline-flex min-h-6 items-center self-start"
      >
        {data.length > 0 ? 'Add, share and remove ports' : 'Add a port'}
      </Link>
    </section>
  )
}

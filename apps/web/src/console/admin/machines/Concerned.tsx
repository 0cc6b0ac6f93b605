import type { HostDetails } from '@ingot/contracts/admin/machines'

const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

/** Whom it concerns, counted now. */
export function Concerned({ host: { concerned } }: { readonly host: HostDetails }) {
  const { running, changing, stopped, terms, volumes, snapshots, customers } = concerned
  if (customers === 0) return <p className="pt-2">Nobody has anything on it now.</p>
  return (
    <ul aria-label="Whom it concerns" className="list-disc pt-2 pl-5">
      <li>{counted(customers, 'customer')}</li>
      <li>
        {counted(running, 'instance')} that {running === 1 ? 'runs' : 'run'}
        {changing > 0 && `, ${changing} that start or stop`}, {stopped} stopped
      </li>
      {terms > 0 && <li>{counted(terms, 'term')} paid upfront</li>}
      {volumes + snapshots > 0 && (
        <li>
          {counted(volumes, 'volume')} and {counted(snapshots, 'snapshot')} that are kept there
        </li>
      )}
    </ul>
  )
}

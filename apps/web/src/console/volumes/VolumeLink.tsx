import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { volumeQuery } from './queries.ts'

/** To a volume of which only the id is known: by its name as soon as that is here. */
export function VolumeLink({ id }: { readonly id: string }) {
  const { data } = useQuery(volumeQuery(id))
  return (
    <Link to="/console/network-volumes/$id" params={{ id }} className="link">
      {data?.name ?? id.slice(0, 13)}
    </Link>
  )
}

import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import type { ChangeSearch } from '../../list/search-state.ts'
import { anyUserQuery } from '../all-queries.ts'

interface OfUserProps {
  readonly id: string | undefined
  readonly onChange: ChangeSearch
}

/** The rows are those of one user; pressing it shows everybody's again. */
export function OfUser({ id, onChange }: OfUserProps) {
  const { data } = useQuery({ ...anyUserQuery(id ?? ''), enabled: id !== undefined })
  if (!id) return null
  return (
    <Button
      className="max-w-full"
      onClick={() => onChange({ of: '' })}
      aria-label={`Of ${data?.email ?? id}: show those of everybody`}
    >
      <span className="truncate">Of {data?.email ?? id.slice(0, 8)}</span>
      <X size={16} aria-hidden />
    </Button>
  )
}

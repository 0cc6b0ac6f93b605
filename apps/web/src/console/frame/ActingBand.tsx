import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Band } from '../../ui/Band.tsx'
import { useNow } from '../../ui/use-now.ts'
import { actingAs, leaveActing } from '../shell/acting.ts'
import { api } from '../shell/api.ts'

const minuteMs = 60_000

/** As long as this tab shows a customer's account instead of one's own. The time that is left changes unread: its end is in the text. */
export function ActingBand() {
  const acting = actingAs()
  const now = useNow(10_000)
  // Whatever becomes of the call, this tab is its owner's again; the service ends it by the clock.
  const end = useMutation({ mutationFn: () => api.admin.endActing(), onSettled: leaveActing })
  const leftMs = acting ? Date.parse(acting.until) - now.getTime() : 0
  const isOver = acting !== null && leftMs <= 0
  useEffect(() => {
    if (isOver) leaveActing()
  }, [isOver])
  if (!acting || isOver) return null
  return (
    <Band
      tone="warn"
      full
      action={
        <button
          type="button"
          className="min-h-6 underline"
          disabled={end.isPending}
          onClick={() => end.mutate()}
        >
          Stop acting
        </button>
      }
    >
      You act as {acting.email ?? 'a customer'} until {timeOf(acting.until)}
      <span aria-hidden> ({Math.ceil(leftMs / minuteMs)} min left)</span>. You can look, and change nothing;
      they can see that you did. Reason: {acting.reason}
    </Band>
  )
}

const timeOf = (at: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }).format(new Date(at))

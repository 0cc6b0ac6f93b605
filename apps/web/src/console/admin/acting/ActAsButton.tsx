import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { enterActing } from '../../shell/acting.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'

interface ActAsButtonProps {
  readonly userId: string
  readonly email: string | null
}

/** Shows the console as that customer sees it, in this tab, for half an hour. */
export function ActAsButton({ userId, email }: ActAsButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const offline = useOfflineReason()
  const begin = useMutation({
    mutationFn: (reason: string) => api.admin.beginActing({ user_id: userId, reason }),
    onSuccess: enterActing,
  })
  const change = (open: boolean) => {
    setOpen(open)
    begin.reset()
  }
  return (
    <>
      <Button onClick={() => change(true)} disabledReason={offline}>
        Act as customer
      </Button>
      <ReasonDialog
        open={isOpen}
        onOpenChange={change}
        title="Act as customer"
        confirmLabel="Act as customer"
        busyLabel="Opening..."
        busy={begin.isPending || begin.isSuccess}
        error={begin.error && errorText(begin.error)}
        onConfirm={reason => begin.mutate(reason)}
      >
        For 30 minutes this tab shows the console as {email ?? 'this customer'} sees it. You can change
        nothing there, and see no keys, files, logs or deposit addresses. They can see that you looked, and at
        what.
      </ReasonDialog>
    </>
  )
}

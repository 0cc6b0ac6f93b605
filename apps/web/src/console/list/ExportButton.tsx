import type { Received } from '@ingot/sdk/received'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { download } from '../shell/download.ts'

interface ExportButtonProps {
  /** Asks for the file: all that matches the filters, also what is not on screen. */
  readonly fetch: () => Promise<Received>
  readonly isEmpty: boolean
  readonly children: string
}

export function ExportButton({ fetch, isEmpty, children }: ExportButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      const file = await fetch()
      download(file.fileName, await file.blob(), file.mediaType)
    } catch {
      toast.error('The file could not be made. Try again.')
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      onClick={() => void save()}
      busy={isBusy}
      disabledReason={isEmpty ? 'There is nothing to export' : null}
    >
      {children}
    </Button>
  )
}

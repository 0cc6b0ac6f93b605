import { type DragEvent, useState } from 'react'
import { toast } from '../../ui/toast.ts'
import { droppedFiles } from './chosen-files.ts'
import type { Chosen } from './uploads.ts'

/** For what takes files from outside the browser. A text that is dragged passes by. */
export function useFileDrop(onFiles: (chosen: readonly Chosen[]) => void, whyNot: string | null) {
  const [isOver, setOver] = useState(false)
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')
  return {
    isOver,
    target: {
      onDragOver(event: DragEvent) {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      },
      onDragLeave(event: DragEvent) {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      },
      onDrop(event: DragEvent) {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(false)
        if (whyNot) toast.error(whyNot)
        else
          void droppedFiles(event.dataTransfer).then(onFiles, () =>
            toast.error('What was dropped could not be read on your computer.'),
          )
      },
    },
  }
}

import { toast } from '../../../ui/toast.ts'
import { useCopy } from '../../../ui/use-copy.ts'

export function useCopyId(): (id: string) => void {
  const [, copy] = useCopy()
  return id =>
    void copy(id).then(done =>
      done ? toast.success('Copied to clipboard') : toast.error('The clipboard was refused by the browser'),
    )
}

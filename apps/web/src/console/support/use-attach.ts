import { mostAttachments } from '@ingot/contracts/support'
import { useMutation } from '@tanstack/react-query'
import { toast } from '../../ui/toast.ts'
import { errorText } from '../shell/error-text.ts'
import { sentence } from '../shell/sentence.ts'
import { uploadAttachment, whyNotAttached } from './upload-attachment.ts'
import type { Draft } from './use-send-message.ts'

/** Sends files ahead of the message that they go with. What cannot go is said, and the others go. */
export function useAttach(draft: Draft, onDraft: (change: (draft: Draft) => Draft) => void) {
  const upload = useMutation({
    mutationFn: uploadAttachment,
    onSuccess: made => onDraft(now => ({ ...now, attachments: [...now.attachments, made] })),
    onError: error => toast.error(sentence(errorText(error))),
  })
  const attach = (chosen: readonly File[]) => {
    const room = mostAttachments - draft.attachments.length
    if (chosen.length > room) toast.error(`At most ${mostAttachments} attachments go with a message.`)
    for (const file of chosen.slice(0, room)) {
      const reason = whyNotAttached(file)
      if (reason) toast.error(reason)
      else upload.mutate(file)
    }
  }
  return { attach, isAttaching: upload.isPending }
}

/** Short notices: `notify.success('Signed out successfully')`. Each call answers an id that `dismiss` takes. */
import { toast } from 'sonner'

export type NoticeId = string | number

interface NoticeOptions {
  /** Replaces the notice of that id, so that a loading one becomes its outcome. */
  readonly id?: NoticeId
  readonly action?: { readonly label: string; readonly onClick: () => void }
}

export const notify = {
  default: (text: string, options?: NoticeOptions): NoticeId => toast(text, options),
  success: (text: string, options?: NoticeOptions): NoticeId => toast.success(text, options),
  info: (text: string, options?: NoticeOptions): NoticeId => toast.info(text, options),
  warning: (text: string, options?: NoticeOptions): NoticeId => toast.warning(text, options),
  error: (text: string, options?: NoticeOptions): NoticeId => toast.error(text, options),
  /** Stays until it is replaced or dismissed. */
  loading: (text: string, options?: NoticeOptions): NoticeId => toast.loading(text, options),
  dismiss: (id?: NoticeId): NoticeId => toast.dismiss(id),
}

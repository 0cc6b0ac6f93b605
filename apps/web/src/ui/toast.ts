/** Short messages on the screen: `toast.success('Signed out successfully')`. Each call answers an id that `dismiss` takes. */
import { toast as show } from 'sonner'

type ToastId = string | number

interface ToastOptions {
  /** Replaces the toast of that id, so that a loading one becomes its outcome. */
  readonly id?: ToastId
  readonly action?: { readonly label: string; readonly onClick: () => void }
}

export const toast = {
  default: (text: string, options?: ToastOptions): ToastId => show(text, options),
  success: (text: string, options?: ToastOptions): ToastId => show.success(text, options),
  info: (text: string, options?: ToastOptions): ToastId => show.info(text, options),
  warning: (text: string, options?: ToastOptions): ToastId => show.warning(text, options),
  error: (text: string, options?: ToastOptions): ToastId => show.error(text, options),
  /** Stays until it is replaced or dismissed. */
  loading: (text: string, options?: ToastOptions): ToastId => show.loading(text, options),
  dismiss: (id?: ToastId): ToastId => show.dismiss(id),
}

import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { AppToasts } from '../../ui/AppToasts.tsx'
import { Toasts } from '../../ui/Toasts.tsx'
import { TooltipProvider } from '../../ui/Tooltip.tsx'
import { auth, AuthProvider } from '../session/auth.tsx'
import { useProofAsked } from '../shell/proof.ts'
import { createQueryClient, type SessionRefusal } from '../shell/query-client.ts'

const ProofDialog = lazy(() => import('./ProofDialog.tsx').then(module => ({ default: module.ProofDialog })))

let asking = false

/**
 * Asks the service about the session itself: if it is gone, the client drops its copy and the sign-in page opens. If a
 * second factor is due, a renewed session knows of it, and the screen that asks for it opens.
 */
function checkSession(why: SessionRefusal): void {
  if (asking) return
  asking = true
  const ask = why === 'mfa_required' ? auth.refreshSession() : auth.getUser()
  void ask.catch((error: unknown) => console.warn('the session', error)).finally(() => (asking = false))
}

/** What stands once around the application: data, session, tooltips, both toast areas. The theme is on the document itself. */
export function Providers({ children }: { readonly children: ReactNode }) {
  const [client] = useState(() => createQueryClient(checkSession))
  return (
    <QueryClientProvider client={client}>
      <AuthProvider>
        <TooltipProvider>
          {children}
          <Proof />
          <AppToasts />
          <Toasts />
        </TooltipProvider>
      </AuthProvider>
    </QueryClientProvider>
  )
}

/** Its code comes when a call first asks for it. */
function Proof() {
  return useProofAsked() ? (
    <Suspense>
      <ProofDialog />
    </Suspense>
  ) : null
}

import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { AppToasts } from '../../ui/AppToasts.tsx'
import { Notices } from '../../ui/Notices.tsx'
import { TooltipProvider } from '../../ui/Tooltip.tsx'
import { createQueryClient } from './query-client.ts'

/** What stands once around the application: data, tooltips, both toast areas. The theme is on the document itself. */
export function Providers({ children }: { readonly children: ReactNode }) {
  const [client] = useState(createQueryClient)
  return (
    <QueryClientProvider client={client}>
      <TooltipProvider>
        {children}
        <AppToasts />
        <Notices />
      </TooltipProvider>
    </QueryClientProvider>
  )
}

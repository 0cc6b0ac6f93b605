import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useRole } from '../accounts/role.ts'

/** Only administrators get here; anybody else is sent to the console. The service decides all the same, call by call. */
export function AdminOnly({ children }: { readonly children: ReactNode }) {
  const { isAdmin, isLoading } = useRole()
  const navigate = useNavigate()
  const isStranger = !isLoading && !isAdmin
  useEffect(() => {
    if (isStranger) void navigate({ to: '/console', replace: true })
  }, [isStranger, navigate])
  return isAdmin ? children : null
}

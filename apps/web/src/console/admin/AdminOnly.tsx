import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useRole } from '../accounts/role.ts'

interface OnlyProps {
  readonly children: ReactNode
}

/** Only administrators get here; a moderator is sent to the overview, which has the tickets, anybody else to the console. The service decides all the same, call by call. */
export function AdminOnly({ children }: OnlyProps) {
  const { isAdmin, isStaff } = useRole()
  useGate(isAdmin, isStaff ? '/admin' : '/console')
  return isAdmin ? children : null
}

/** Moderators and administrators. */
export function StaffOnly({ children }: OnlyProps) {
  const { isStaff } = useRole()
  useGate(isStaff, '/console')
  return isStaff ? children : null
}

function useGate(isOpen: boolean, elsewhere: '/console' | '/admin'): void {
  const { isLoading } = useRole()
  const navigate = useNavigate()
  const isStranger = !isLoading && !isOpen
  useEffect(() => {
    if (isStranger) void navigate({ to: elsewhere, replace: true })
  }, [isStranger, elsewhere, navigate])
}

import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Band } from '../../ui/Band.tsx'
import { buttonClass } from '../../ui/button-class.ts'
import { NotBuilt } from '../shell/NotBuilt.tsx'
import { useRole } from '../shell/role.ts'

/** Only administrators get here; anybody else is sent to the console. The service decides all the same, call by call. */
export function AdminScreen() {
  const { isAdmin, isLoading } = useRole()
  const navigate = useNavigate()
  const isStranger = !isLoading && !isAdmin
  useEffect(() => {
    if (isStranger) void navigate({ to: '/console', replace: true })
  }, [isStranger, navigate])
  if (!isAdmin) return null
  return (
    <div className="flex flex-col gap-6">
      <Band tone="warn">You are signed in as an administrator.</Band>
      <NotBuilt
        heading="Admin Panel"
        purpose="Here administrators will see all users, instances, volumes, payments and tickets, and act on them."
        action={
          <Link to="/console" className={buttonClass()}>
            Back to Console
          </Link>
        }
      >
        <p>
          This panel is not built yet. Meanwhile, deposits are credited without anybody's approval, and what
          the service refuses or cannot do stands in its log.
        </p>
      </NotBuilt>
    </div>
  )
}

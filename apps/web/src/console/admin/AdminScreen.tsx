import { Link } from '@tanstack/react-router'
import { Band } from '../../ui/Band.tsx'
import { buttonClass } from '../../ui/button-class.ts'
import { NotBuilt } from '../shell/NotBuilt.tsx'
import { AdminOnly } from './AdminOnly.tsx'

export function AdminScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <Band tone="warn">You are signed in as an administrator.</Band>
        <NotBuilt
          heading="Admin Panel"
          purpose="Here administrators will see all users, instances, volumes, payments and tickets, and act on them."
          action={
            <div className="flex flex-wrap gap-2">
              <Link to="/admin/inquiries" className={buttonClass('primary')}>
                Read inquiries
              </Link>
              <Link to="/admin/hosts" className={buttonClass()}>
                See hosts
              </Link>
              <Link to="/console" className={buttonClass()}>
                Back to Console
              </Link>
            </div>
          }
        >
          <p>
            Of this panel, two parts are built. Inquiries: what visitors of the public site send is read and
            answered there. Hosts: what machines run on, and what of it is taken. The rest is not. Meanwhile,
            deposits are credited without anybody's approval, and what the service refuses or cannot do stands
            in its log.
          </p>
        </NotBuilt>
      </div>
    </AdminOnly>
  )
}

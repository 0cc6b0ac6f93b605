import { extraStoragePerGbMonth, includedStorageGb } from '@ingot/contracts/catalog'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button-class.ts'
import { formatGb, formatMoney } from '../../ui/format.ts'
import { NotBuilt } from '../shell/NotBuilt.tsx'

export function VolumesScreen() {
  return (
    <NotBuilt
      heading="Network Volumes"
      purpose="A network volume keeps data apart from any instance, so it outlives them and moves between them."
      action={
        <Link to="/console/instances" className={buttonClass()}>
          Go to instances
        </Link>
      }
    >
      <p>
        This page is not built yet. Meanwhile, each instance has a disk of its own: up to 1 TB of data
        storage, the first {formatGb(includedStorageGb)} in all included, more at{' '}
        {formatMoney(extraStoragePerGbMonth)} per GB and month. It stays while the instance is stopped and is
        gone when the instance is deleted.
      </p>
    </NotBuilt>
  )
}

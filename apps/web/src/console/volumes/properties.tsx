/** What there is to know of a volume, name by name: in its dialog and on its page. */
import type { Volume } from '@ingot/contracts/volumes'
import { Link } from '@tanstack/react-router'
import { formatMoney } from '../../ui/format.ts'
import type { Property } from '../../ui/PropertyList.tsx'
import { Time } from '../../ui/Time.tsx'
import { formatSize, usedText } from './volume-text.ts'

export function propertiesOf(volume: Volume): Property[] {
  const { id, size_gb, used_bytes, region, instance, mount_path, monthly_cost, renews_at, created_at } =
    volume
  return [
    { name: 'Id', value: id, copy: id },
    {
      name: 'Size',
      value: `${formatSize(size_gb)}${volume.growing ? ', being made that large' : ''}${volume.enforces_size ? '' : ', not enforced here'}`,
    },
    { name: 'Used', value: used_bytes === null ? 'Not measured yet' : usedText(volume) },
    { name: 'Region', value: region },
    {
      name: 'Attached to',
      value: instance ? (
        <Link to="/console/instances/$id" params={{ id: instance.id }} className="link">
          {instance.name}
        </Link>
      ) : (
        'No instance'
      ),
    },
    { name: 'Mounted at', value: mount_path, copy: mount_path },
    { name: 'Per month', value: formatMoney(monthly_cost) },
    { name: 'Renews', value: renews_at === null ? 'Not now' : <Time at={renews_at} exact /> },
    { name: 'Returns if deleted now', value: formatMoney(volume.returns) },
    { name: 'Created', value: <Time at={created_at} exact /> },
  ]
}

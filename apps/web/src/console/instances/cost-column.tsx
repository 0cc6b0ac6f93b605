import type { Instance } from '@ingot/contracts/instances'
import { Money } from '../../ui/Money.tsx'
import type { Column } from '../../ui/TableRow.tsx'

/** Cells of a phone say "/h" themselves: the head that says it is not there. */
export const costColumn: Column<Instance> = {
  id: 'cost',
  header: 'Cost per hour',
  numeric: true,
  cell: ({ hourly_cost }) => (
    <>
      <Money value={hourly_cost} />
      <span className="sm:hidden">/h</span>
    </>
  ),
}

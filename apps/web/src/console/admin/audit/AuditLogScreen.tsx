import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { ExportButton } from '../../list/ExportButton.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { orMore, usePages } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { AuditDrawer } from './AuditDrawer.tsx'
import { AuditFilters } from './AuditFilters.tsx'
import { noFilters, readAuditSearch, wantedOf } from './audit-search.ts'
import { AuditTable } from './AuditTable.tsx'

/** Nothing of it is pushed: others write it too. */
const everyMs = 30_000

export function AuditLogScreen() {
  return (
    <AdminOnly>
      <AuditLog />
    </AdminOnly>
  )
}

/** The entry in the drawer is named by the address, so that a link to it can be kept. */
function AuditLog() {
  const [address, change] = useSearchState()
  const filter = readAuditSearch(address)
  const wanted = wantedOf(filter)
  const isFiltered = Object.values(wanted).some(Boolean)
  const { list, rows } = usePages({
    queryKey: ['admin', 'audit-log', filter],
    pageSize: 50,
    fetch: (page, options) => api.admin.auditLog({ ...page, ...wanted }, options),
    keepRows: true,
    refetchMs: everyMs,
  })
  const at = rows.findIndex(each => each.id === address['entry'])
  const open = rows[at]
  const step = (by: number) => {
    const next = rows[at + by]
    if (next) change({ entry: next.id })
  }
  return (
    <div className="flex flex-col gap-6">
      <PageHeading
        lead="What staff did, and whatever changed the safety of an account, newest first. Nobody can change it."
        actions={
          <ExportButton fetch={() => api.admin.exportAuditLog(wanted)} isEmpty={rows.length === 0}>
            Export CSV
          </ExportButton>
        }
      >
        Audit log
      </PageHeading>
      <section aria-label="Entries" className="flex flex-col gap-3">
        <ListFrame
          filters={<AuditFilters filter={filter} onChange={change} />}
          count={list.data ? `${orMore(rows.length, list)} shown` : ''}
          query={list}
          failed="The audit log could not be loaded"
          consequence="What is done is written down all the same."
          skeleton={<SkeletonRows rows={8} columns={5} />}
          isEmpty={rows.length === 0}
          isFiltered={isFiltered}
          noMatch={<NoMatch title="No entry matches these filters." onClear={() => change(noFilters)} />}
          empty={
            <EmptyState title="What staff do is written down here by itself.">
              Nobody has done anything yet.
            </EmptyState>
          }
          more={<LoadMore list={list}>Load older entries</LoadMore>}
        >
          <AuditTable entries={rows} onOpen={({ id }) => change({ entry: id }, { step: true })} />
        </ListFrame>
      </section>
      {open && (
        <AuditDrawer
          entry={open}
          onStep={step}
          onFilter={by => change({ ...noFilters, entry: '', ...by }, { step: true })}
          onClose={() => change({ entry: '' })}
        />
      )}
    </div>
  )
}

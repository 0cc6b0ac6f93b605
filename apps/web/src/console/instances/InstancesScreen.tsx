import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../ui/Button.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { usePending } from '../../ui/use-pending.ts'
import { askAgainMs, instancesQuery } from './queries.ts'
import { useLiveState } from '../shell/live.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { useTitle } from '../shell/title.ts'
import { deploySearch } from '../templates/template-search.ts'
import { commandsFor } from './command-text.ts'
import { CopyCurlButton } from '../shell/CopyCurlButton.tsx'
import { BulkBar } from './bulk/BulkBar.tsx'
import { SelectAllMatching } from './bulk/SelectAllMatching.tsx'
import { useBulk } from './bulk/use-bulk.ts'
import { useSelectedInstances } from './bulk/use-selected.ts'
import { TemplatePicker } from './deploy/TemplatePicker.tsx'
import { InstanceDialogs } from './InstanceDialogs.tsx'
import { InstanceList } from './InstanceList.tsx'
import { IdleSoon } from './settings/IdleSoon.tsx'
import { closeDialogs, listTitle, openDialog, openPicker, readInstancesSearch } from './instances-search.ts'
import { useSearchState } from '../list/search-state.ts'

/** As many as one call may answer. */
const pageSize = 100

export function InstancesScreen() {
  const [text, change] = useSearchState()
  const navigate = useNavigate()
  const state = readInstancesSearch(text)
  const filter = { search: state.search || undefined, status: state.status, cursor: state.cursor }
  const list = useQuery({
    ...instancesQuery({ ...filter, limit: pageSize }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => askAgainMs(state.data?.items ?? []),
  })
  const { lostAt } = useLiveState()
  const refreshing = usePending(list.isFetching && !list.isPending).skeleton

  const shown = list.data?.items ?? []
  /** Then the one primary button stands in the empty list's place. */
  const isNew = list.data?.items.length === 0 && !filter.search && !filter.status && !filter.cursor
  useTitle(listTitle(shown.map(instance => instance.status)))
  const deploy = () => change(openPicker, { step: true })
  const close = () => change(closeDialogs)
  useShortcut('c', deploy)
  const selection = useSelectedInstances(shown)
  const { selected } = selection
  const bulk = useBulk(selection.update, selection.remove)

  return (
    <div className="flex flex-col gap-4">
      <PageHeading
        actions={
          <>
            <CopyCurlButton text={commandsFor(location.origin, 'list', filter)[0].text} />
            <Button variant={isNew ? 'secondary' : 'primary'} shortcut="C" onClick={deploy}>
              Deploy instance
            </Button>
          </>
        }
      >
        Instances
      </PageHeading>
      <IdleSoon />
      <InstanceList
        list={list}
        filter={state}
        count={countText(
          shown.length,
          list.data?.next_cursor != null,
          state.cursor !== undefined,
          lostAt === null,
        )}
        refreshing={refreshing}
        selected={selection.keys}
        onSelected={selection.choose}
        onDeploy={deploy}
        onChange={change}
        onOpen={(dialog, id) => change(openDialog(dialog, id), { step: true })}
      />
      <BulkBar
        selected={selected}
        hidden={selected.filter(({ id }) => !shown.some(each => each.id === id)).length}
        selectAll={
          (list.data?.next_cursor != null || state.cursor !== undefined) && (
            <SelectAllMatching
              filter={{ search: filter.search, status: filter.status }}
              onSelect={selection.add}
            />
          )
        }
        bulk={bulk}
        onClear={selection.clear}
      />
      <InstanceDialogs open={state.open} onClose={close} />
      <TemplatePicker
        open={state.deploy}
        onClose={close}
        onConfigure={template =>
          void navigate({
            to: '/console/deploy',
            search: deploySearch(template),
          })
        }
      />
    </div>
  )
}

/** The service counts no further than a page. */
function countText(count: number, more: boolean, isLater: boolean, live: boolean): string {
  if (count === 0) return ''
  const noun = count === 1 ? 'instance' : 'instances'
  const what = more || isLater ? `${count} ${noun} on this page` : `${count} ${noun}`
  return live ? `${what}, updating live` : what
}

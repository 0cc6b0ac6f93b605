import type { ReactNode } from 'react'
import { QueryView, type QueryViewProps } from '../shell/QueryView.tsx'
import { ListBar, type ListBarProps } from './ListBar.tsx'

/** No filters: no bar either, so nothing that stands in it. */
type NoBar = { readonly [Part in keyof ListBarProps]?: undefined }

interface RowsProps<Data> extends Omit<QueryViewProps<Data>, 'children'> {
  /** There are no rows to show. */
  readonly isEmpty: boolean
  /** Something in the address holds rows back. */
  readonly isFiltered?: boolean
  /** In the rows' place while there is nothing yet: what will stand here. */
  readonly empty?: ReactNode
  /** In the rows' place while the filters leave nothing. */
  readonly noMatch?: ReactNode
  /** The way to further rows. */
  readonly more?: ReactNode
  /** The rows. */
  readonly children: ReactNode
}

type ListFrameProps<Data> = RowsProps<Data> & (ListBarProps | NoBar)

/** What every list consists of, from top to bottom. Each has the parts that it names. */
export function ListFrame<Data>({
  filters,
  count,
  quietCount,
  action,
  isEmpty,
  isFiltered = false,
  empty,
  noMatch,
  more,
  children,
  ...view
}: ListFrameProps<Data>) {
  const none = isFiltered ? noMatch : empty
  return (
    <>
      {filters && <ListBar filters={filters} count={count} quietCount={quietCount} action={action} />}
      <QueryView {...view}>{() => (isEmpty ? none : children)}</QueryView>
      {more}
    </>
  )
}

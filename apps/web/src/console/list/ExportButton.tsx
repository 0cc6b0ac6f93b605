import { Button } from '../../ui/Button.tsx'
import { download } from '../shell/download.ts'

interface ExportButtonProps<Row> {
  readonly file: string
  /** Those on screen: what is filtered away is not exported. */
  readonly rows: readonly Row[]
  readonly csv: (rows: readonly Row[]) => string
  readonly children: string
}

export function ExportButton<Row>({ file, rows, csv, children }: ExportButtonProps<Row>) {
  return (
    <Button
      onClick={() => download(file, csv(rows), 'text/csv;charset=utf-8')}
      disabledReason={rows.length > 0 ? null : 'There is nothing to export'}
    >
      {children}
    </Button>
  )
}

import type { Instance } from '@ingot/contracts/instances'
import { useEffect, useRef, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { cx } from '../../../ui/cx.ts'
import { Scroller } from '../../../ui/Scroller.tsx'
import { ExportButton } from '../../list/ExportButton.tsx'
import { readSearchText } from '../../list/read-search.ts'
import { SearchBox } from '../../list/SearchBox.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { api } from '../../shell/api.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { mostShown, plainText } from './log-lines.ts'
import { type Log, type ShownLine, useLog } from './use-log.ts'

/** What its main program wrote. The service searches; the file has everything. */
export function LogsTab({ instance }: { readonly instance: Instance }) {
  const [address, change] = useSearchState()
  const search = readSearchText(address).trim()
  const [follow, setFollow] = useState(true)
  const [again, setAgain] = useState(0)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <SearchBox
          label="Search the log"
          value={readSearchText(address)}
          onChange={text => change({ search: text })}
          clearable
        />
        <Checkbox label="Follow" checked={follow} onCheckedChange={setFollow} />
      </div>
      <LogView
        key={`${follow} ${again} ${search}`}
        instance={instance}
        search={search}
        follow={follow}
        onAgain={() => setAgain(again + 1)}
      />
    </div>
  )
}

interface LogViewProps {
  readonly instance: Instance
  readonly search: string
  readonly follow: boolean
  readonly onAgain: () => void
}

/** One reading of it. */
function LogView({ instance: { id, status }, search, follow, onAgain }: LogViewProps) {
  const log = useLog(id, follow, search)
  return (
    <>
      {log.state === 'failed' && (
        <Band tone="warn" action={<Button onClick={onAgain}>Try again</Button>}>
          The log could not be read. {log.error}
        </Band>
      )}
      <Lines lines={log.lines} follow={follow} />
      <div className="flex flex-wrap items-center gap-3">
        <output className="mr-auto text-label font-normal text-muted">
          {stateWords(log, search, status)}
        </output>
        <CopyCall
          call="instances.logs"
          values={{ id, format: 'text', follow, ...(search ? { search } : {}) }}
        />
        {log.state === 'ended' && <Button onClick={onAgain}>Read again</Button>}
        <ExportButton
          fetch={() => api.instances.logs({ id, format: 'text', ...(search ? { search } : {}) })}
          isEmpty={log.lines.length === 0}
        >
          Download
        </ExportButton>
      </div>
    </>
  )
}

function Lines({ lines, follow }: { readonly lines: readonly ShownLine[]; readonly follow: boolean }) {
  const end = useRef<HTMLLIElement>(null)
  const last = lines.at(-1)?.number
  useEffect(() => {
    if (!follow || last === undefined) return
    // The page itself stays where its reader is.
    const frame = end.current?.closest('section')
    if (frame) frame.scrollTop = frame.scrollHeight
  }, [last, follow])
  return (
    <Scroller
      label="Log"
      className="max-h-log min-h-chart overflow-auto rounded-panel border border-line bg-raised p-3 font-mono text-code"
    >
      <ol>
        {lines.map(({ number, at, stream, text }) => (
          <li key={number} className="flex gap-3">
            <time dateTime={at} className="shrink-0 text-subtle tabular-nums max-sm:hidden">
              {at.slice(11, 19)}
            </time>
            <bdi
              className={cx(
                'min-w-0 break-words whitespace-pre-wrap',
                stream === 'stderr' && 'text-warn',
                stream === 'machine' && 'text-muted italic',
              )}
            >
              {stream === 'stderr' && <span className="sr-only">error output: </span>}
              {plainText(text)}
            </bdi>
          </li>
        ))}
        <li ref={end} aria-hidden />
      </ol>
    </Scroller>
  )
}

function stateWords({ lines, state }: Log, search: string, status: Instance['status']): string {
  if (state === 'opening') return 'Reading…'
  if (state === 'failed') return ''
  const count =
    lines.length === 0
      ? search
        ? `No line holds '${search}'.`
        : 'Nothing is written yet.'
      : `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}${lines.length === mostShown ? ', the last ones' : ''}. Times are UTC.`
  return `${count} ${state === 'following' ? 'Following.' : status === 'running' ? '' : 'It is not running.'}`.trim()
}

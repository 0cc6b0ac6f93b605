import type { LogLine } from '@ingot/contracts/instance/watching'
import { useEffect, useState } from 'react'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { createLineReader, mostShown } from './log-lines.ts'

export interface ShownLine extends LogLine {
  readonly number: number
}

export interface Log {
  readonly lines: readonly ShownLine[]
  readonly state: 'opening' | 'following' | 'ended' | 'failed'
  readonly error: string | null
}

const opening: Log = { lines: [], state: 'opening', error: null }
/** Lines that come one by one are drawn together. */
const drawEveryMs = 100

/** The end of a log, and what follows it while `follow`. */
export function useLog(id: string, follow: boolean, search: string): Log {
  const [log, setLog] = useState<Log>(opening)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    let lines: ShownLine[] = []
    let count = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const draw = (state: Log['state'], error: string | null = null) => {
      clearTimeout(timer)
      timer = undefined
      if (!signal.aborted) setLog({ lines, state, error })
    }
    const read = async () => {
      const file = await api.instances.logs(
        { id, follow, tail: 500, ...(search ? { search } : {}) },
        { signal },
      )
      const reader = file.stream().getReader()
      const decoder = new TextDecoder()
      const take = createLineReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        const more = take(decoder.decode(value, { stream: true })).map(line => ({ ...line, number: count++ }))
        if (more.length) lines = [...lines, ...more].slice(-mostShown)
        timer ??= setTimeout(() => draw('following'), drawEveryMs)
      }
    }
    read().then(
      () => draw('ended'),
      (error: unknown) => draw('failed', errorText(error)),
    )
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [id, follow, search])
  return log
}

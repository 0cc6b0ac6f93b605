/**
 * The table of docs/drivers.md that says what each driver keeps and measures. A driver's column comes from its run of
 * the suite, as root and whole; it is held to what stands there, or with INGOT_WRITE_TABLE written there.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type RunnerTask, type RunnerTestSuite } from 'vitest'
import type { Capabilities } from '../driver.ts'

const page = join(import.meta.dirname, '../../../../docs/drivers.md')
const command =
  'INGOT_WRITE_TABLE=1 npx vitest run --project unit --no-file-parallelism packages/compute -t "driver contract"'
const [begin, end] = ['<!-- what the suite found -->', '<!-- as the suite wrote it -->']

export interface Found {
  /** The driver's name. */
  readonly column: string
  readonly measures: Capabilities['measures']
}

/** By part, what was kept and why the rest was left out; null: the suite did not run whole, or something failed. */
function readParts(suite: RunnerTestSuite): Map<string, string> | null {
  const parts = new Map<string, string>()
  // Below how the drivers are opened stand the parts.
  for (const part of suite.tasks.flatMap(group => ('tasks' in group ? group.tasks : []))) {
    const tests = testsOf(part)
    if (tests.some(test => test.result?.state !== 'pass' && reasonOf(test) === null)) return null
    const reasons = new Set(tests.flatMap(test => reasonOf(test) ?? []))
    const left = reasons.size > 0 ? `; some tests left out: ${[...reasons].join('; ')}` : ''
    parts.set(part.name, `held${left}`)
  }
  return parts
}

/** Why a test left itself out; one that the runner passed over has no reason. */
function reasonOf({ result }: RunnerTask): string | null {
  const { note } = (result ?? {}) as { readonly note?: string }
  return note ?? null
}

const testsOf = (task: RunnerTask): RunnerTask[] => ('tasks' in task ? task.tasks.flatMap(testsOf) : [task])

export function holdToTable(suite: RunnerTestSuite, { column, measures }: Found): void {
  const parts = readParts(suite)
  const isRoot = process.getuid?.() === 0
  if (!parts || !isRoot || !existsSync(page)) return
  const measured = Object.entries(measures).flatMap(([part, isMeasured]) => (isMeasured ? [part] : []))
  parts.set('measures', measured.join(', ') || 'nothing')
  const text = readFileSync(page, 'utf8')
  const rows = rowsOf(text)
  const columns = rows[0]!
  const at = columns.indexOf(column)
  if (process.env['INGOT_WRITE_TABLE']) {
    if (at < 0) columns.push(column)
    for (const [part, found] of parts) {
      const row = rows.find(([name]) => name === part) ?? rows[rows.push([part]) - 1]!
      row[at < 0 ? columns.length - 1 : at] = found
    }
    return writeFileSync(page, withRows(text, rows))
  }
  const written = Object.fromEntries(rows.slice(1).map(row => [row[0], row[at]]))
  const how = `the table of docs/drivers.md is written by: ${command}`
  expect(written, how).toEqual(Object.fromEntries(parts))
}

function rowsOf(text: string): string[][] {
  const table = text.slice(text.indexOf(begin) + begin.length, text.indexOf(end)).trim()
  return table
    .split('\n')
    .filter((_, at) => at !== 1)
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    )
}

function withRows(text: string, rows: readonly string[][]): string {
  const width = rows[0]!.length
  const lines = rows.map(row => `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`)
  lines.splice(1, 0, `|${'---|'.repeat(width)}`)
  const [before, after] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))]
  return `${before}\n\n${lines.join('\n')}\n\n${after}`
}

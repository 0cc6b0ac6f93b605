/**
 * Fills the floor board's Free column with what could be placed now, all regions together, and says when that was.
 * Without an answer the dashes stay: a guess would be worse. Hardware that is simulated is named.
 */
import { formatCount } from '../../ui/format.ts'
import { listGpus, listRegions } from './catalog.ts'

export async function freeCounts(board: HTMLElement): Promise<void> {
  const time = board.querySelector('[data-time]')
  try {
    const { items, at } = await listGpus()
    for (const gpu of items) {
      const cell = board.querySelector(`[data-gpu="${CSS.escape(gpu.name)}"]`)
      const free = Object.values(gpu.free).reduce((sum, count) => sum + count, 0)
      if (!cell) continue
      cell.textContent = free > 0 ? formatCount(free) : 'None'
      cell.classList.toggle('text-muted', free === 0)
    }
    if (time) time.textContent = inUtc(at)
    await nameSimulated(board)
  } catch {
    if (time) time.textContent = 'Stock is not known right now'
  }
}

async function nameSimulated(board: HTMLElement): Promise<void> {
  const regions = (await listRegions()).items.filter(region => region.hardware === 'simulated')
  const note = board.querySelector('[data-note]')
  if (regions.length === 0 || !note) return
  note.append(
    ` Hardware is simulated in ${regions.map(region => region.name).join(', ')}: no real card is there.`,
  )
}

const inUtc = (at: Date): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`

/**
 * Fills the floor board's Free column with what could be placed now, all regions together, says when that was, and
 * looks again every 30 seconds while the page is seen. Without an answer nothing is claimed: a guess would be worse.
 * Simulated hardware is named.
 */
import { listGpus, listRegions } from './catalog.ts'

const everyMs = 30_000

export function freeCounts(board: HTMLElement): void {
  const time = board.querySelector('[data-time]')!
  const note = board.querySelector('[data-note]')!
  const said = note.textContent

  async function read(): Promise<void> {
    try {
      const [gpus, regions] = await Promise.all([listGpus(), listRegions()])
      for (const gpu of gpus.items) show(gpu.name, gpu.free_in_all)
      time.textContent = inUtc(gpus.at)
      const simulated = regions.items.filter(region => region.hardware === 'simulated')
      note.textContent =
        simulated.length === 0
          ? said
          : `${said} Hardware is simulated in ${simulated.map(region => region.name).join(', ')}: no real card is there.`
    } catch {
      time.textContent = 'Stock is not known right now'
    }
  }

  function show(gpu: string, free: number): void {
    const cell = board.querySelector(`[data-gpu="${CSS.escape(gpu)}"]`)
    if (!cell) return
    cell.textContent = free > 0 ? free.toLocaleString('en-US') : 'None'
    cell.classList.toggle('text-muted', free === 0)
  }

  void read()
  setInterval(() => document.hidden || void read(), everyMs)
}

const inUtc = (at: Date): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`

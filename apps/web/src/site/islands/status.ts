/** Fills /status from the service's own checks, and again every 30 seconds while the page is seen. */
import type { SystemStatus } from '@ingot/contracts/site'
import { formatCount, formatExact } from '../../ui/format.ts'

const everyMs = 30_000

const sentences = {
  operational: 'All systems operational',
  degraded: 'Some checks do not pass',
  down: 'The service is down',
}

const tones = { operational: 'text-ok', degraded: 'text-warn', down: 'text-danger' }

export function status(root: HTMLElement): void {
  const find = (selector: string) => root.querySelector<HTMLElement>(selector)!

  /** Only a change is announced. */
  function say(text: string, tone: string): void {
    const state = find('[data-state]')
    if (state.textContent === text) return
    state.textContent = text
    state.className = tone
  }

  async function read(): Promise<void> {
    try {
      const response = await fetch('/v1/status')
      if (!response.ok) throw new Error(`HTTP ${response.status}`)
      show((await response.json()) as SystemStatus)
    } catch {
      say('Not known: the service did not answer. The next try is in 30 seconds.', 'text-muted')
    }
  }

  function show({ state, checked_at, checks, uptime_percent, days }: SystemStatus): void {
    say(sentences[state], tones[state])
    find('[data-time]').textContent = `Last checked ${formatExact(new Date(checked_at), 'UTC')}`
    find('[data-checks]').replaceChildren(...checks.map(line))
    find('[data-uptime]').textContent =
      uptime_percent === null ? 'Nothing measured yet' : `${uptime_percent}%`
    find('[data-days]').replaceChildren(...days.map(bar))
    find('[data-rows]').replaceChildren(
      ...days
        .filter(day => day.measured_minutes > 0)
        .toReversed()
        .map(row),
    )
  }

  void read()
  setInterval(() => document.hidden || void read(), everyMs)
}

function make(tag: string, className: string, text = ''): HTMLElement {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}

function line(check: SystemStatus['checks'][number]): HTMLElement {
  const item = make('li', 'flex flex-wrap items-baseline justify-between gap-x-6 border-t border-line py-3')
  item.append(
    make('span', 'text-heading', check.name),
    make(
      'span',
      check.ok ? 'font-medium text-ok' : 'font-medium text-danger',
      check.ok ? '● Passes' : '◆ Fails',
    ),
  )
  if (check.detail) item.append(make('span', 'w-full text-muted', check.detail))
  return item
}

type Day = SystemStatus['days'][number]

const words = (day: Day): string =>
  day.measured_minutes === 0
    ? `${day.day}: not measured`
    : `${day.day}: ${formatCount(day.ok_minutes)} of ${formatCount(day.measured_minutes)} minutes`

/** Colour and height both say it: a whole day is full, a day with failures shorter, an unmeasured one a line. */
function bar(day: Day): HTMLElement {
  const share = day.measured_minutes === 0 ? null : day.ok_minutes / day.measured_minutes
  const shape =
    share === null
      ? 'h-px bg-line-strong'
      : share === 1
        ? 'h-full bg-ok'
        : share > 0.99
          ? 'h-8 bg-warn'
          : 'h-4 bg-danger'
  const element = make('span', `min-w-0 grow ${shape}`)
  element.title = words(day)
  return element
}

function row(day: Day): HTMLElement {
  const element = make('tr', 'border-b border-line')
  const head = make('th', 'h-head font-normal', day.day)
  head.setAttribute('scope', 'row')
  element.append(
    head,
    make('td', 'h-head text-right', formatCount(day.ok_minutes)),
    make('td', 'h-head text-right', formatCount(day.measured_minutes)),
  )
  return element
}

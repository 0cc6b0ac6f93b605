/**
 * The front page's shell: the one of simulated instances, run in the page, with its delays. A line of text goes in and
 * lines come out, so the keyboard is never caught.
 */
import {
  banner,
  commandDelayMs,
  connectDelayMs,
  disconnectedMessage,
  keepLast,
  openShell,
  prompt,
  run,
} from '@ingot/compute/simulated/shell'
import { tryMachine } from '../home/try-machine.ts'

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

export async function connect(root: HTMLElement, first: string | undefined): Promise<void> {
  const screen = root.querySelector<HTMLElement>('[data-screen]')!
  const form = root.querySelector('form')!
  const input = form.querySelector('input')!
  const sign = form.querySelector<HTMLElement>('[data-prompt]')!
  const start = root.querySelector<HTMLElement>('[data-start]')!
  const typed: string[] = []
  let at = 0
  let state = openShell(tryMachine(Date.now()))
  let lines: readonly string[] = []

  function draw(): void {
    lines = keepLast(lines)
    screen.textContent = lines.join('\n')
    screen.scrollTop = screen.scrollHeight
    sign.textContent = prompt(state)
  }

  /** One shell at a time: it answers only while its line is shown. */
  async function open(): Promise<void> {
    start.textContent = 'Connecting…'
    await wait(connectDelayMs)
    state = openShell(tryMachine(Date.now()))
    lines = banner(state)
    start.parentElement!.hidden = true
    form.hidden = false
    draw()
    input.focus({ preventScroll: true })
  }

  function close(): void {
    lines = [...lines, disconnectedMessage]
    draw()
    form.hidden = true
    start.parentElement!.hidden = false
    start.textContent = 'Connect again'
    start.focus()
  }

  async function take(line: string): Promise<void> {
    if (input.readOnly || form.hidden) return
    input.value = ''
    input.readOnly = true
    if (line.trim()) at = typed.push(line)
    lines = [...lines, prompt(state) + line]
    draw()
    await wait(commandDelayMs)
    input.readOnly = false
    const result = run(state, line, Date.now())
    state = result.state
    lines = result.effect === 'clear' ? [] : [...lines, ...result.output]
    if (result.effect === 'exit') close()
    else draw()
  }

  function recall(event: KeyboardEvent): void {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (event.key === 'l' && event.ctrlKey) {
      event.preventDefault()
      lines = []
      draw()
    }
    if (!step) return
    event.preventDefault()
    at = Math.max(0, Math.min(typed.length, at + step))
    input.value = typed[at] ?? ''
  }

  async function click(event: Event): Promise<void> {
    const button = (event.target as Element).closest<HTMLElement>('[data-start], [data-command]')
    if (!button) return
    if (form.hidden) await open()
    if (button.dataset.command) await take(button.dataset.command)
  }

  screen.setAttribute('role', 'log')
  input.addEventListener('keydown', recall)
  form.addEventListener('submit', event => {
    event.preventDefault()
    void take(input.value)
  })
  await open()
  root.addEventListener('click', event => void click(event))
  if (first) await take(first)
}

/** The emulator and the client of one shell, joined. Fetched when a terminal is opened, and only then. */
import { api } from '../../shell/api.ts'
import { createTerminalClient, socketAt, type TerminalClient, type TerminalPhase } from './terminal-client.ts'
import { createTerminalView, type TerminalView, type ViewOptions } from './terminal-view.ts'

export interface TerminalSession {
  readonly view: TerminalView
  readonly client: TerminalClient
}

interface SessionOptions extends Omit<ViewOptions, 'onInput' | 'onResize'> {
  readonly instanceId: string
  readonly terminalId: string
  readonly onPhase: (phase: TerminalPhase) => void
  /** What is typed, as it is to be sent. */
  readonly mapInput: (data: string) => string
}

export async function openSession(container: HTMLElement, options: SessionOptions): Promise<TerminalSession> {
  let connected = false
  const view = await createTerminalView(container, {
    ...options,
    onInput(data) {
      if (connected) client.input(typeof data === 'string' ? options.mapInput(data) : data)
      else if (data === '\r') client.connect()
    },
    onResize: size => client.resize(size),
  })
  const { instanceId, terminalId } = options
  const client = createTerminalClient({
    openTicket: async () => (await api.instances.terminal({ id: instanceId, terminal_id: terminalId })).url,
    openSocket: socketAt,
    size: view.size,
    clear: view.clear,
    draw: view.draw,
    onPhase(phase) {
      connected = phase.kind === 'connected'
      options.onPhase(phase)
    },
  })
  return { view, client }
}

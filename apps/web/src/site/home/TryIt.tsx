import { banner, openShell, prompt, run } from '@ingot/compute/simulated/shell'
import { buttonClass } from '../../ui/button-class.ts'
import { Section } from '../parts/Section.tsx'
import { tryMachine } from './try-machine.ts'

const commands = ['help', 'nvidia-smi', 'ls', 'free -h', 'df -h', 'top']

/** The shell's own words, printed when the page is rendered, so that the page shows a session before and without the script. */
function transcript(): string {
  const at = Date.UTC(2026, 0, 1, 12)
  const shell = openShell(tryMachine(at))
  const line = 'nvidia-smi'
  return [...banner(shell), prompt(shell) + line, ...run(shell, line, at).output].join('\n')
}

export function TryIt() {
  return (
    <Section
      id="try-it"
      title="Try a shell, without an account"
      layout="side"
      lead="This is the shell that simulated instances answer with, running in this page. It knows a few commands and says when it does not know one. Nothing you type leaves your browser."
    >
      <div data-island="try-it" className="overflow-hidden rounded-panel border border-line bg-sunken">
        <div className="needs-script flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
          <span className="mr-2 text-label text-muted">Run</span>
          {commands.map(command => (
            <button
              key={command}
              type="button"
              data-command={command}
              className="h-8 rounded-tag border border-line-strong bg-raised px-2 font-mono text-code hover:bg-hover pointer-coarse:h-touch"
            >
              {command}
            </button>
          ))}
        </div>
        <pre
          data-screen
          // A frame that scrolls must be reachable with the keyboard.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-label="Shell output"
          className="max-h-list overflow-auto p-4 font-mono text-code"
        >
          {transcript()}
        </pre>
        <form hidden className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2">
          <label htmlFor="try-it-line" data-prompt className="font-mono text-code text-muted">
            {prompt(openShell(tryMachine(0)))}
          </label>
          <input
            id="try-it-line"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={1024}
            className="h-control min-w-0 grow bg-sunken font-mono text-input"
          />
          <button type="submit" className={buttonClass('secondary')}>
            Run
          </button>
        </form>
        <div className="needs-script border-t border-line px-4 py-2">
          <button type="button" data-start className={buttonClass('secondary')}>
            Connect
          </button>
        </div>
      </div>
    </Section>
  )
}

import { Kbd } from '../../../ui/Kbd.tsx'

/** Windows opens its task manager on Ctrl+Shift+Esc, so there another key is named as well. */
const isWindows = /Windows/.test(navigator.userAgent)

export function TerminalFooter() {
  return (
    <footer className="flex flex-wrap gap-x-6 gap-y-1 border-t border-line bg-raised px-3 py-2 text-label font-normal text-muted">
      <p>Use help for available commands</p>
      <p>exit to disconnect</p>
      <p>Ctrl+C to interrupt</p>
      <p className="pointer-coarse:hidden">Drop files to upload them</p>
      <p className="pointer-coarse:hidden sm:ml-auto">
        <Kbd>Ctrl+Shift+C</Kbd> copies, <Kbd>Ctrl+Shift+V</Kbd> pastes, <Kbd>Ctrl+Shift+←</Kbd> <Kbd>→</Kbd>{' '}
        go to another shell, <Kbd>Ctrl+Shift+Esc</Kbd>
        {isWindows && (
          <>
            {' '}
            or <Kbd>Ctrl+F6</Kbd>
          </>
        )}{' '}
        leaves the terminal
      </p>
    </footer>
  )
}

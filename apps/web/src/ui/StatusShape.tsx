/** The six marks of a state. The shape alone tells each from the others, also without colour. */
export type StatusKind = 'running' | 'changing' | 'stopped' | 'attention' | 'failed' | 'gone'

const shapes: Record<StatusKind, React.ReactNode> = {
  running: <circle cx="5" cy="5" r="4.5" fill="currentColor" />,
  changing: (
    <circle
      cx="5"
      cy="5"
      r="3.5"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeDasharray="16.5 5.5"
    />
  ),
  stopped: <circle cx="5" cy="5" r="3.5" fill="none" stroke="currentColor" strokeWidth="2" />,
  attention: <path d="M5 .5 10 9.5H0z" fill="currentColor" />,
  failed: <path d="M5 -.5 10.5 5 5 10.5 -.5 5z" fill="currentColor" />,
  gone: <path d="m1.5 1.5 7 7m0-7-7 7" fill="none" stroke="currentColor" strokeWidth="2" />,
}

export function StatusShape({ kind }: { readonly kind: StatusKind }) {
  return (
    <svg
      viewBox="0 0 10 10"
      width="10"
      height="10"
      aria-hidden
      className={kind === 'changing' ? 'shrink-0 animate-turn overflow-visible' : 'shrink-0 overflow-visible'}
    >
      {shapes[kind]}
    </svg>
  )
}

import { Scroller } from '../../ui/Scroller.tsx'

interface CodeProps {
  readonly label: string
  readonly code: string
}

/** Something to paste, with its Copy button. */
export function Code({ label, code }: CodeProps) {
  return (
    <figure className="min-w-0 rounded-panel bg-sunken">
      <div className="flex items-center justify-between gap-4 px-4 pt-2">
        <figcaption className="text-label text-muted">{label}</figcaption>
        <button
          type="button"
          data-island="copy"
          data-copy={code}
          className="needs-script h-8 rounded-control px-2 text-label text-link hover:text-link-hover"
        >
          Copy
        </button>
      </div>
      <Scroller label={label} className="overflow-x-auto px-4 pt-1 pb-4">
        <pre className="font-mono text-code">{code}</pre>
      </Scroller>
    </figure>
  )
}

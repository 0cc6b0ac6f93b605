import { Children, Fragment, isValidElement, type ReactNode, useId } from 'react'
import { useShown } from '../shown.ts'
import { highlight } from './highlight.ts'

const languageNames: Readonly<Record<string, string>> = {
  bash: 'Shell',
  http: 'HTTP',
  ini: 'Settings',
  javascript: 'JavaScript',
  json: 'JSON',
  output: 'Output',
  python: 'Python',
  sql: 'SQL',
  text: 'Text',
}

export interface CodeProps {
  readonly code: string
  readonly language: string
  /** Stands above instead of the language's name. */
  readonly title?: string
  /** One of several tools for the same act. */
  readonly tab?: string
}

/** Code to read, and to copy unless it is what a program prints. Without the script the button is not shown. */
export function CodeBlock({ code, language, title }: CodeProps) {
  const { origin } = useShown()
  const label = title ?? languageNames[language] ?? language
  return (
    <figure className="my-6 min-w-0 rounded-panel bg-sunken forced-colors:border">
      <div className="flex h-row items-center justify-between gap-4 px-4">
        <figcaption className="text-label text-muted">{label}</figcaption>
        {language !== 'output' && (
          <button
            type="button"
            data-island="copy"
            className="needs-script -mr-2 h-8 rounded-control px-2 text-label text-link hover:text-link-hover pointer-coarse:h-touch"
          >
            Copy
          </button>
        )}
      </div>
      {/* Not a section: a page of examples would have dozens of landmarks. The arrow keys scroll it all the same. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} className="overflow-x-auto px-4 pb-4 font-mono text-code">
        <code>
          {highlight(code.replaceAll('__ORIGIN__', origin), language).map((line, n) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines have no other name, and never move
            <Fragment key={n}>
              {n > 0 && '\n'}
              {line.map(({ text, role }, at) =>
                role ? (
                  // oxlint-disable-next-line react/no-array-index-key
                  <span key={at} className={role}>
                    {text}
                  </span>
                ) : (
                  text
                ),
              )}
            </Fragment>
          ))}
        </code>
      </pre>
    </figure>
  )
}

/** Each shows where its radio is chosen: no script is needed, and islands/code-tabs.ts keeps one choice everywhere. */
const panelClass: Readonly<Record<string, string>> = {
  curl: 'hidden group-has-[[value=curl]:checked]:block',
  JavaScript: 'hidden group-has-[[value=JavaScript]:checked]:block',
  Python: 'hidden group-has-[[value=Python]:checked]:block',
  CLI: 'hidden group-has-[[value=CLI]:checked]:block',
}

export interface CodeTab extends CodeProps {
  readonly tab: string
}

export function TabbedCode({ tabs }: { readonly tabs: readonly CodeTab[] }) {
  const group = useId()
  return (
    <fieldset data-island="code-tabs" className="group my-6 min-w-0">
      <legend className="sr-only">Tool</legend>
      <div className="flex flex-wrap gap-1 pb-2">
        {tabs.map(({ tab }, n) => (
          <label
            key={tab}
            className="relative flex h-8 items-center rounded-control px-3 font-medium text-muted hover:bg-hover has-checked:bg-selected has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus pointer-coarse:h-touch forced-colors:has-checked:border"
          >
            <input
              type="radio"
              name={group}
              value={tab}
              defaultChecked={n === 0}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            {tab === 'CLI' ? 'CLI (planned)' : tab}
          </label>
        ))}
      </div>
      {tabs.map(props => (
        <div key={props.tab} className={`${panelClass[props.tab]} *:my-0`}>
          <CodeBlock {...props} />
        </div>
      ))}
    </fieldset>
  )
}

/** As MDX hands it over: `Code` elements side by side. */
export function CodeTabs({ children }: { readonly children: ReactNode }) {
  const tabs = Children.toArray(children).filter(isValidElement)
  return <TabbedCode tabs={tabs.map(child => child.props as CodeTab)} />
}

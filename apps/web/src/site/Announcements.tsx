import { Band } from '../ui/Band.tsx'
import { dismissScript } from '../ui/dismissed.ts'
import { useShown } from './shown.ts'

/**
 * What the operator tells every visitor: in the page as it is sent, so nothing moves when it comes. Whoever put one
 * away does not see it again: the script takes it out before the first paint.
 */
export function Announcements() {
  const { maintenance, items } = useShown().told
  if (!maintenance && items.length === 0) return null
  return (
    <>
      <section aria-label="Announcements">
        {maintenance && (
          <Band tone="warn" full="site">
            {maintenance.text}
          </Band>
        )}
        {items.map(({ key, tone, text, link }) => (
          <div key={key} data-announcement={key}>
            <Band
              tone={tone}
              full="site"
              action={
                <span className="flex flex-wrap items-center gap-x-4">
                  {link && (
                    <a
                      href={link.href}
                      {...(!link.href.startsWith('/') && { target: '_blank', rel: 'noopener' })}
                      className="inline-flex min-h-6 items-center underline"
                    >
                      {link.label}
                    </a>
                  )}
                  <button type="button" className="needs-script min-h-6 underline">
                    Dismiss<span className="sr-only">: {text}</span>
                  </button>
                </span>
              }
            >
              {text}
            </Band>
          </div>
        ))}
      </section>
      {items.length > 0 && <script dangerouslySetInnerHTML={{ __html: dismissScript }} />}
    </>
  )
}

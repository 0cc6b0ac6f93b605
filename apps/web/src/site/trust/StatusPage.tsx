import { statusDays } from '@ingot/contracts/site'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Section } from '../parts/Section.tsx'

/** The frame that islands/status.ts fills. The page itself knows nothing without asking, and says so. */
export function StatusPage() {
  return (
    <Frame>
      <div data-island="status">
        <PageHead
          title="Status"
          lead={
            <span data-state aria-live="polite">
              The state is read from the service when this page opens, and again every 30 seconds.
            </span>
          }
        >
          <p data-time className="mt-2 text-muted tabular-nums" />

          <p className="without-script mt-2 text-prose">
            Without JavaScript, the same is in{' '}
            <a href="/v1/status" className="link">
              /v1/status
            </a>
            .
          </p>
        </PageHead>
        <Section id="checks" title="Checks" layout="side" lead="What the server asks itself, twice a minute.">
          <ul data-checks>
            <li className="py-2 text-muted">Not read yet.</li>
          </ul>
        </Section>
        <Section
          id="history"
          title={`The last ${statusDays} days`}
          layout="side"
          lead="A day counts the minutes in which every check passed, of those that were measured. Days on which nothing ran are empty, not green."
        >
          <p data-uptime className="text-stat tabular-nums">
            –
          </p>
          <p className="text-label text-muted">of the measured minutes, every check passed</p>
          <div data-days className="mt-6 flex h-12 items-end gap-px" />
          <p className="mt-2 flex justify-between text-label text-muted">
            <span>{statusDays} days ago</span>
            <span>Today, UTC</span>
          </p>
          <details className="mt-4">
            <summary className="w-fit font-medium text-link hover:text-link-hover">
              The days as a table
            </summary>
            <table className="mt-3 w-full text-left tabular-nums">
              <thead>
                <tr className="border-b border-line">
                  <th scope="col" className="h-head text-label text-muted">
                    Day
                  </th>
                  <th scope="col" className="h-head text-right text-label text-muted">
                    Passed
                  </th>
                  <th scope="col" className="h-head text-right text-label text-muted">
                    Measured
                  </th>
                </tr>
              </thead>
              <tbody data-rows />
            </table>
          </details>
        </Section>
      </div>
    </Frame>
  )
}

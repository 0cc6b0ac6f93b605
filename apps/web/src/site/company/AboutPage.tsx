import { buttonClass } from '../../ui/button-class.ts'
import { useBlock } from '../content/content.ts'
import { Figures } from '../parts/Figures.tsx'
import { Initials } from '../parts/Initials.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Sample } from '../parts/Sample.tsx'
import { Section } from '../parts/Section.tsx'

export function AboutPage() {
  const figures = useBlock('about_figures')
  const team = useBlock('team')
  const timeline = useBlock('timeline')
  return (
    <Frame>
      <PageHead
        title="Build the future, not infrastructure"
        lead="Ingot rents GPUs by the second, and tries to be the kind of landlord that one forgets about: the room is there, the meter is right, and nothing hums that should not."
        aside={
          figures && (
            <Sample sample={figures.sample} className="self-center p-6">
              <Figures items={figures.content} />
            </Sample>
          )
        }
      />
      <Section id="mission" title="Mission" layout="side">
        <div className="flex max-w-prose flex-col gap-4 text-prose">
          <p>
            A GPU is the most expensive thing most teams rent, and often the one they can see least of. Is it
            busy? Is it still on? What will the month cost? People pay for the answers they do not get.
          </p>
          <p>
            Our mission is that nobody has to ask. What is free is counted before it is offered. What is
            charged is written on the button before it is pressed. What is stopped costs nothing. And every
            movement of money can be followed, by the one who pays it, to the second it was for.
          </p>
          <p>
            The same product runs at its operator’s: its source, its ledger and its tests are open, so that
            these sentences can be checked instead of believed.
          </p>
        </div>
      </Section>
      {team && (
        <Section id="team" title="Team" layout="side">
          <Sample sample={team.sample} className="px-5 py-2">
            <ul>
              {team.content.map(person => (
                <li
                  key={person.name}
                  className="grid gap-x-6 gap-y-1 border-t border-line py-4 first:border-t-0 sm:grid-cols-3"
                >
                  <div className="flex items-center gap-3">
                    <Initials name={person.name} />
                    <div>
                      <h3 className="text-heading">{person.name}</h3>
                      <p className="text-muted">{person.role}</p>
                    </div>
                  </div>
                  <p className="text-prose sm:col-span-2">{person.bio}</p>
                </li>
              ))}
            </ul>
          </Sample>
        </Section>
      )}
      {timeline && (
        <Section id="timeline" title="Timeline" layout="side">
          <Sample sample={timeline.sample} className="p-5 pt-6">
            <ol className="border-l border-line-strong">
              {timeline.content.map(entry => (
                <li key={entry.year} className="relative pb-6 pl-6 last:pb-0">
                  <span aria-hidden className="absolute top-3 left-0 h-px w-4 bg-line-strong" />
                  <p className="text-stat tabular-nums">{entry.year}</p>
                  <h3 className="mt-1 text-heading">{entry.title}</h3>
                  <p className="max-w-prose text-prose text-muted">{entry.description}</p>
                </li>
              ))}
            </ol>
          </Sample>
        </Section>
      )}
      <section
        aria-labelledby="next"
        className="flex flex-wrap items-center justify-between gap-6 border-t border-line py-12"
      >
        <h2 id="next" className="text-h2-site">
          Work with us, or write to us
        </h2>
        <div className="flex flex-wrap gap-3">
          <a href="/careers" className={buttonClass('secondary', 'l')}>
            See open positions
          </a>
          <a href="/contact" className={buttonClass('secondary', 'l')}>
            Contact us
          </a>
        </div>
      </section>
    </Frame>
  )
}

import { buttonClass } from '../../ui/button-class.ts'
import { useBlock } from '../content/content.ts'
import { Figures } from '../parts/Figures.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Sample } from '../parts/Sample.tsx'
import { Section } from '../parts/Section.tsx'

export function CommunityPage() {
  const figures = useBlock('community_figures')
  const channels = useBlock('channels')
  const events = useBlock('events')
  const hasLinks = channels?.content.some(channel => channel.url)
  return (
    <Frame>
      <PageHead
        title="Community"
        lead="People who rent the same cards run into the same walls. This is where they tell each other."
        aside={
          figures && (
            <Sample sample={figures.sample} className="self-center p-6">
              <Figures items={figures.content} />
            </Sample>
          )
        }
      />
      {channels && (
        <Section
          id="channels"
          title="Channels"
          layout="side"
          lead={
            hasLinks
              ? 'Each opens in a new tab.'
              : 'The operator of this site has not linked any of them yet. Until then, the contact form reaches a person.'
          }
        >
          <Sample sample={channels.sample} className="px-5 py-2">
            <ul>
              {channels.content.map(channel => {
                const { url } = channel
                return (
                  <li
                    key={channel.name}
                    className="flex flex-wrap items-center justify-between gap-x-8 gap-y-3 border-t border-line py-4 first:border-t-0"
                  >
                    <div className="min-w-0">
                      <div className="flex flex-wrap items-baseline gap-x-4">
                        <h3 className="text-title">{channel.name}</h3>
                        {channel.members && <p className="text-muted tabular-nums">{channel.members}</p>}
                      </div>
                      <p className="mt-1 text-prose text-muted">{channel.description}</p>
                    </div>
                    {url && (
                      <a
                        href={url}
                        target="_blank"
                        rel="noopener"
                        aria-label={`${channel.join} (opens in a new tab)`}
                        className={buttonClass('secondary', 'l')}
                      >
                        {channel.join}
                      </a>
                    )}
                  </li>
                )
              })}
            </ul>
          </Sample>
        </Section>
      )}
      {events && (
        <Section id="events" title="Upcoming events" layout="side">
          <Sample sample={events.sample} className="px-5 py-2">
            <ul>
              {events.content.map(event => (
                <li
                  key={event.title}
                  className="grid gap-x-8 gap-y-1 border-t border-line py-4 first:border-t-0 sm:grid-cols-3"
                >
                  <p className="text-muted tabular-nums">
                    {event.date}
                    <br />
                    {event.time}
                  </p>
                  <div className="sm:col-span-2">
                    <h3 className="text-heading">{event.title}</h3>
                    {event.attendees && <p className="text-muted">{event.attendees}</p>}
                  </div>
                </li>
              ))}
            </ul>
          </Sample>
        </Section>
      )}
      <Section id="write" title="Without an account anywhere" layout="side">
        <p className="max-w-prose text-prose">
          The{' '}
          <a href="/docs" className="link">
            documentation
          </a>{' '}
          and the{' '}
          <a href="/tutorials" className="link">
            tutorials
          </a>{' '}
          need no membership, and the{' '}
          <a href="/contact" className="link">
            contact form
          </a>{' '}
          is answered by people.
        </p>
      </Section>
    </Frame>
  )
}

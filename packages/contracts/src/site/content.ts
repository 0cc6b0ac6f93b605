/**
 * What only an operator can vouch for: who stands behind the service, where people reach it, and what its public pages
 * claim. Each part has a sample until `site.json` in the data folder gives its own. The documentation of that file is
 * written from here.
 */
import * as z from 'zod/mini'

/** One line of at most so many letters, not blank. */
const line = (max: number) =>
  z
    .string()
    .check(z.minLength(1), z.maxLength(max), z.regex(/^(?!\s*$)\P{Cc}*$/u, 'must be one line, not blank'))
const lines = (max: number, most: number) => z.array(line(max)).check(z.maxLength(most))
const email = z.email('must be an email address').check(z.maxLength(254))
/** Elsewhere. */
const address = z
  .string()
  .check(z.maxLength(500), z.regex(/^https:\/\/[^\s/]+\S*$/, 'must be an address that begins with https://'))
/** Elsewhere, or a page of this service. */
const link = z
  .string()
  .check(
    z.maxLength(500),
    z.regex(
      /^(?:\/(?![/\\])\S*|https:\/\/[^\s/]+\S*)$/,
      'must begin with https://, or with / for a page of this service',
    ),
  )

const figure = z.strictObject({ value: line(20), label: line(60) })
const figures = z.array(figure).check(z.maxLength(6))

const testimonial = z.strictObject({
  name: line(80),
  role: line(80),
  company: line(80),
  content: line(600),
  rating: z.int('must be a whole number').check(z.minimum(1), z.maximum(5)),
})
const person = z.strictObject({ name: line(80), role: line(80), bio: line(400) })
const timelineEntry = z.strictObject({ year: line(10), title: line(80), description: line(400) })
const office = z.strictObject({ city: line(80), address: lines(120, 6), hours: line(120) })
const channel = z.strictObject({
  name: line(60),
  description: line(200),
  members: z.optional(line(40)),
  join: line(40),
  url: address,
})
const communityEvent = z.strictObject({
  title: line(120),
  date: line(60),
  time: line(40),
  attendees: z.optional(line(40)),
})
const value = z.strictObject({ title: line(60), text: line(300) })
const job = z.strictObject({
  id: z
    .string()
    .check(
      z.maxLength(60),
      z.regex(
        /^(?!404$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
        'must be small letters, digits and single dashes, such as site-engineer',
      ),
    ),
  title: line(45),
  department: line(60),
  location: line(80),
  type: line(40),
  salary: line(80),
  experience: line(80),
  description: line(600),
  requirements: lines(300, 12),
  responsibilities: lines(300, 12),
  benefits: lines(300, 12),
  team: line(80),
  reporting_to: line(80),
})

interface Part<T> {
  readonly schema: T
  readonly does: string
  /** The pages that show it. */
  readonly pages: readonly `/${string}`[]
  /** What stands there until the file says: something invented, what is true of every installation, or nothing. */
  readonly absent: 'sample' | 'standard' | 'none'
}
const sample = <T>(schema: T, pages: Part<T>['pages'], does: string): Part<T> => ({
  schema,
  does,
  pages,
  absent: 'sample',
})
const fact = <T>(schema: T, pages: Part<T>['pages'], does: string): Part<T> => ({
  schema,
  does,
  pages,
  absent: 'none',
})

/** In the order of the documentation. */
export const siteParts = {
  legal_name: fact(line(120), ['/terms', '/privacy'], 'The company that customers contract with.'),
  postal_address: fact(line(300), ['/privacy'], 'Its address, in one line.'),
  sales_email: fact(email, ['/contact'], 'Where sales is reached.'),
  support_email: fact(email, ['/contact'], 'Where support is reached without an account.'),
  general_email: fact(email, ['/contact'], 'Where everybody else writes to.'),
  privacy_email: fact(email, ['/privacy'], 'Where people write about their data.'),
  security_email: fact(email, ['/security'], 'Where faults of security are reported.'),
  support_center: {
    schema: link,
    pages: ['/contact'],
    does: 'Where *Visit the support center* leads.',
    absent: 'standard',
  },
  live_chat: fact(link, ['/contact'], 'Where *Start a live chat* leads.'),
  schedule_call: fact(link, ['/contact'], 'Where *Schedule a call* leads.'),
  logos: sample(lines(40, 12), ['/'], 'Names of customers, shown as words.'),
  statistics: sample(figures, ['/'], 'Figures of the service, beside those that it counts itself.'),
  claims: sample(lines(80, 6), ['/'], 'Short claims under the figures.'),
  testimonials: sample(z.array(testimonial).check(z.maxLength(6)), ['/'], 'What customers say.'),
  about_figures: sample(figures, ['/about'], 'Figures of the company.'),
  team: sample(z.array(person).check(z.maxLength(24)), ['/about'], 'People.'),
  timeline: sample(z.array(timelineEntry).check(z.maxLength(20)), ['/about'], 'How it came to be.'),
  reply_promise: sample(line(120), ['/contact'], 'How soon somebody answers.'),
  offices: sample(z.array(office).check(z.maxLength(12)), ['/contact'], 'Places.'),
  channels: sample(
    z.array(channel).check(z.maxLength(8)),
    ['/community'],
    'Where users meet. The first one also stands on the documentation’s front page.',
  ),
  events: sample(z.array(communityEvent).check(z.maxLength(12)), ['/community'], 'What is coming up.'),
  community_figures: sample(figures, ['/community'], 'Figures of the community.'),
  career_figures: sample(figures, ['/careers'], 'Figures of the team.'),
  career_values: sample(z.array(value).check(z.maxLength(8)), ['/careers'], 'What the team goes by.'),
  career_benefits: sample(lines(120, 12), ['/careers'], 'What comes with the work.'),
  jobs: sample(
    z.array(job).check(z.maxLength(30)),
    ['/careers'],
    'Open positions, each with a page and an address of its own, `/careers/<id>`. Applications are taken for these, never for a sample.',
  ),
} satisfies Record<string, Part<unknown>>
export type SitePart = keyof typeof siteParts

type Parts = { [K in SitePart]: (typeof siteParts)[K]['schema'] }
const optional = Object.fromEntries(
  Object.entries(siteParts).map(([name, { schema }]) => [
    name,
    z.optional(z.nullable(schema as z.ZodMiniType)),
  ]),
) as { [K in SitePart]: z.ZodMiniOptional<z.ZodMiniNullable<Parts[K]>> }

/** `site.json`. A part that is absent stays as it comes; null, or an empty list, hides it. */
export const siteFile = z.strictObject(optional)
export type SiteFile = z.infer<typeof siteFile>
export type SiteContent = { [K in SitePart]: z.infer<Parts[K]> }

/** Where *Visit the support center* leads unless the file says: the tickets of this service. */
export const ownSupportCenter = '/console/support'

export const siteFileName = 'site.json'
export const maxSiteFileBytes = 256 * 1024

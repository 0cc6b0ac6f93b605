/**
 * Claims, people and places that only an operator can vouch for. Everything below is an example. Replace it, set
 * `sample` to false, and build again; while it is true, the block that shows it says 'Sample content'. Jobs stand in
 * the contract's site.ts, because the server must know which of them take applications.
 */
interface Block<T> {
  readonly sample: boolean
  readonly items: readonly T[]
}

interface Figure {
  readonly value: string
  readonly label: string
}

interface Testimonial {
  readonly name: string
  readonly role: string
  readonly company: string
  readonly content: string
  /** Of five. */
  readonly rating: number
}

interface Person {
  readonly name: string
  readonly role: string
  readonly bio: string
}

interface TimelineEntry {
  readonly year: string
  readonly title: string
  readonly description: string
}

interface Office {
  readonly city: string
  readonly address: readonly string[]
  readonly hours: string
}

interface Channel {
  readonly id: 'chat' | 'forum' | 'code'
  readonly name: string
  readonly description: string
  readonly members: string
  readonly join: string
}

interface CommunityEvent {
  readonly title: string
  readonly date: string
  readonly time: string
  readonly attendees: string
}

export const statistics: Block<Figure> = {
  sample: true,
  items: [
    { value: '500K+', label: 'Active developers' },
    { value: '99.9%', label: 'Uptime SLA' },
    { value: '50ms', label: 'Average response' },
    { value: '100+', label: 'GPU models' },
  ],
}

export const claims: Block<string> = {
  sample: true,
  items: ['Trusted by more than 400,000 engineers', '99.99% durability', '$10 free credits'],
}

export const logos: Block<string> = {
  sample: true,
  items: ['Halden Vision', 'Quillfield', 'Tern Robotics', 'Oakmere Bio', 'Lumen & Sons', 'Parcelwise'],
}

export const testimonials: Block<Testimonial> = {
  sample: true,
  items: [
    {
      name: 'Mira Castellanos',
      role: 'Head of machine learning',
      company: 'Halden Vision',
      content:
        'The bill was the argument. We stop every instance when the last person leaves, and the ledger shows a zero for the night. Before that we guessed at month’s end.',
      rating: 5,
    },
    {
      name: 'Tobias Wrenn',
      role: 'Research engineer',
      company: 'Oakmere Bio',
      content:
        'I closed the laptop in the middle of a run and found the shell where I had left it, scrollback and all.',
      rating: 5,
    },
    {
      name: 'Asha Penhale',
      role: 'CTO',
      company: 'Tern Robotics',
      content: 'The deploy button says what it will charge, and then it charges that.',
      rating: 5,
    },
  ],
}

export const aboutFigures: Block<Figure> = {
  sample: true,
  items: [
    { value: '500K+', label: 'Developers' },
    { value: '20+', label: 'Regions' },
    { value: '64', label: 'People' },
    { value: '4', label: 'Offices' },
  ],
}

export const team: Block<Person> = {
  sample: true,
  items: [
    {
      name: 'Ingrid Solheim',
      role: 'Chief executive',
      bio: 'Ran scheduling for a university cluster for nine years, and still reads the queue first thing in the morning.',
    },
    {
      name: 'Devan Rao',
      role: 'Chief technology officer',
      bio: 'Wrote the metering. Believes that a bill nobody can check is not a bill.',
    },
    {
      name: 'Lucía Ferrer',
      role: 'Hardware',
      bio: 'Knows which rack hums. Came from a company that built weather models.',
    },
    {
      name: 'Ben Achterberg',
      role: 'Customer engineering',
      bio: 'Answers support himself on Tuesdays, so that the product hears about it on Wednesdays.',
    },
  ],
}

export const timeline: Block<TimelineEntry> = {
  sample: true,
  items: [
    {
      year: '2021',
      title: 'One rack',
      description: 'Eight cards in a shared cellar, rented to three research groups.',
    },
    {
      year: '2022',
      title: 'Billing by the second',
      description: 'Hourly rounding goes. The ledger is rewritten around single movements of money.',
    },
    {
      year: '2023',
      title: 'Five regions',
      description: 'US-East, US-West, EU-West, Asia-Pacific and Middle-East take instances.',
    },
    {
      year: '2024',
      title: 'Prepaid with USDT',
      description: 'An address for every account; a deposit credits itself.',
    },
  ],
}

export const offices: Block<Office> = {
  sample: true,
  items: [
    {
      city: 'San Francisco',
      address: ['100 Example Street', 'San Francisco, CA 94105'],
      hours: 'Monday to Friday, 9:00 to 18:00, UTC−8',
    },
    {
      city: 'London',
      address: ['20 Sample Lane', 'London EC2A 4XX'],
      hours: 'Monday to Friday, 9:00 to 18:00, UTC+0',
    },
    {
      city: 'Singapore',
      address: ['3 Placeholder Road', 'Singapore 048616'],
      hours: 'Monday to Friday, 9:00 to 18:00, UTC+8',
    },
  ],
}

export const replyPromise: Block<string> = { sample: true, items: ['We reply within 24 hours.'] }

export const channels: Block<Channel> = {
  sample: true,
  items: [
    {
      id: 'chat',
      name: 'Discord',
      description: 'Questions with quick answers, and people awake in other time zones.',
      members: '25,000 members',
      join: 'Join Discord',
    },
    {
      id: 'forum',
      name: 'Forum',
      description: 'Longer threads that a search engine can find next year.',
      members: '12,000 members',
      join: 'Open the forum',
    },
    {
      id: 'code',
      name: 'Code',
      description: 'Templates, examples and the issue tracker.',
      members: '8,000 members',
      join: 'See the code',
    },
  ],
}

export const events: Block<CommunityEvent> = {
  sample: true,
  items: [
    {
      title: 'Reading a training bill line by line',
      date: 'Second Tuesday of the month',
      time: '16:00 UTC',
      attendees: '140 registered',
    },
    {
      title: 'Office hours: fitting a model into 24 GB',
      date: 'Every Thursday',
      time: '15:00 UTC',
      attendees: '60 registered',
    },
    {
      title: 'Community call',
      date: 'Last Wednesday of the month',
      time: '17:00 UTC',
      attendees: '210 registered',
    },
  ],
}

export const communityFigures: Block<Figure> = {
  sample: true,
  items: [
    { value: '45,000', label: 'Members' },
    { value: '1,200', label: 'Questions answered a month' },
    { value: '38', label: 'Countries' },
  ],
}

export const careerFigures: Block<Figure> = {
  sample: true,
  items: [
    { value: '64', label: 'People' },
    { value: '11', label: 'Countries' },
    { value: '2', label: 'Open positions' },
  ],
}

/**
 * Claims, people, places and jobs that come with the product: examples of what only an operator can vouch for. The block
 * that shows one says 'Sample content', until the operator's site.json gives or hides it (content.ts).
 */
import { sampleJobs } from '@ingot/contracts/site'

export const samples = {
  statistics: [
    { value: '500K+', label: 'Active developers' },
    { value: '99.9%', label: 'Uptime SLA' },
    { value: '50ms', label: 'Average response' },
    { value: '100+', label: 'GPU models' },
  ],

  claims: ['Trusted by more than 400,000 engineers', '99.99% durability', '$10 free credits'],

  logos: ['Halden Vision', 'Quillfield', 'Tern Robotics', 'Oakmere Bio', 'Lumen & Sons', 'Parcelwise'],

  testimonials: [
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

  about_figures: [
    { value: '500K+', label: 'Developers' },
    { value: '20+', label: 'Regions' },
    { value: '64', label: 'People' },
    { value: '4', label: 'Offices' },
  ],

  team: [
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

  timeline: [
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

  offices: [
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

  reply_promise: 'We reply within 24 hours.',

  channels: [
    {
      name: 'Discord',
      description: 'Questions with quick answers, and people awake in other time zones.',
      members: '25,000 members',
      join: 'Join Discord',
    },
    {
      name: 'Forum',
      description: 'Longer threads that a search engine can find next year.',
      members: '12,000 members',
      join: 'Open the forum',
    },
    {
      name: 'Code',
      description: 'Templates, examples and the issue tracker.',
      members: '8,000 members',
      join: 'See the code',
    },
  ],

  events: [
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

  community_figures: [
    { value: '45,000', label: 'Members' },
    { value: '1,200', label: 'Questions answered a month' },
    { value: '38', label: 'Countries' },
  ],

  career_figures: [
    { value: '64', label: 'People' },
    { value: '11', label: 'Countries' },
    { value: '2', label: 'Open positions' },
  ],

  career_values: [
    {
      title: 'The number is right',
      text: 'Money, time and stock are measured, not estimated. Where we do not know, the page says so.',
    },
    {
      title: 'Finish, then start',
      text: 'A feature is done when its failure is handled, its page is written and its test has failed once.',
    },
    {
      title: 'Short and plain',
      text: 'In code, in mails, in meetings. The reader’s time is worth more than the writer’s.',
    },
    {
      title: 'Say it early',
      text: 'A late no costs more than an early one. Nobody is blamed for finding the fault.',
    },
  ],

  career_benefits: [
    'Remote first, with offices for those who want one',
    'Thirty days of leave',
    'GPU time for your own work',
    'Health insurance for you and your children',
    'A budget for books, courses and conferences',
    'Sixteen weeks of parental leave, for every parent',
  ],

  jobs: [
    {
      id: 'senior-ai-engineer',
      title: sampleJobs['senior-ai-engineer'],
      department: 'Engineering',
      location: 'Remote, UTC−5 to UTC+3',
      type: 'Full-time',
      salary: '$180,000 to $240,000 a year',
      experience: 'Five years or more',
      description:
        'You decide which templates customers start from and prove that they work: images, drivers, versions, and a measured first minute. Half of the work is training and serving models the way customers do, the other half is removing what got in the way.',
      requirements: [
        'You have trained and served models of at least a few billion parameters, and can say what limited you each time.',
        'You read a profiler before you buy a larger card.',
        'Python and PyTorch daily; enough Linux and containers to find out why an image is slow to start.',
        'You write so that a stranger can repeat what you did.',
      ],
      responsibilities: [
        'Own the built-in templates: what is in them, how they are tested, when a version goes.',
        'Measure time to first shell and time to first token for each template, and publish the method with the figure.',
        'Sit with customers whose run failed, and turn the cause into a fix or a page of documentation.',
        'Review designs that touch the instance lifecycle.',
      ],
      benefits: [
        'GPU time for your own research, within a monthly budget you can see',
        'Thirty days of leave, and a minimum of twenty that you have to take',
        'Pay is in every posting, and the same for the same work',
      ],
      team: 'Templates and runtimes, four people',
      reporting_to: 'Chief technology officer',
    },
    {
      id: 'devops-engineer',
      title: sampleJobs['devops-engineer'],
      department: 'Infrastructure',
      location: 'Remote, or one of the offices',
      type: 'Full-time',
      salary: '$140,000 to $190,000 a year',
      experience: 'Three years or more',
      description:
        'You keep five regions of machines honest: what the catalogue calls free can be placed, what is stopped costs nothing, and what fails says why. Upgrades happen while customers’ instances run on.',
      requirements: [
        'You have run Linux hosts with GPUs, or anything else that fails in ways the manual does not mention.',
        'PostgreSQL in production: backups that were restored, queries that were explained.',
        'You automate what you did three times, and delete automation that nobody needs.',
        'You can be calm on a call and exact in the report after it.',
      ],
      responsibilities: [
        'Bring new hosts into a region: checks before the first customer, and again when a card misbehaves.',
        'Own deployment, backup and restore of the service and its database.',
        'Keep the checks behind the status page, and the history they write.',
        'Share the on-call week with four others, one week in five.',
      ],
      benefits: [
        'On-call weeks are paid, and the day after a bad night is free',
        'Thirty days of leave, and a minimum of twenty that you have to take',
        'Pay is in every posting, and the same for the same work',
      ],
      team: 'Platform, five people',
      reporting_to: 'Head of hardware',
    },
  ],
}

/** Open positions in full. Their titles, and whether they are sample content, stand in the contract's site.ts. */
import type { JobId } from '@ingot/contracts/site'

export interface JobDetail {
  readonly department: string
  readonly location: string
  readonly type: string
  readonly salary: string
  readonly experience: string
  readonly description: string
  readonly requirements: readonly string[]
  readonly responsibilities: readonly string[]
  readonly benefits: readonly string[]
  readonly team: string
  readonly reportingTo: string
}

export const jobDetails: Record<JobId, JobDetail> = {
  'senior-ai-engineer': {
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
    reportingTo: 'Chief technology officer',
  },
  'devops-engineer': {
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
    reportingTo: 'Head of hardware',
  },
}

export const careerValues = [
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
] as const

export const careerBenefits = [
  'Remote first, with offices for those who want one',
  'Thirty days of leave',
  'GPU time for your own work',
  'Health insurance for you and your children',
  'A budget for books, courses and conferences',
  'Sixteen weeks of parental leave, for every parent',
] as const

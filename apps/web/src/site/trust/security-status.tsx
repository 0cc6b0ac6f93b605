/** The words of the security page: what is not proved, not built, or known to be weak, and how to report a fault. */
import { useFact } from '../content/content.ts'
import { claim, note, type Sentence } from './claim.ts'

interface Certification {
  readonly name: string
  readonly status: readonly Sentence[]
  readonly gives: readonly Sentence[]
  readonly todo: readonly Sentence[]
}

const not = [note('Not certified')]

export const certificationsLead: readonly Sentence[] = [
  note('Certificates are given to an operator for the way a service is run, never to software.'),
  note('None is claimed here.'),
]

export const certifications: readonly Certification[] = [
  {
    name: 'SOC 2 Type II',
    status: not,
    gives: [
      claim(
        'Access checked for each call, an append-only ledger, a log of what was done',
        'who may call > %s needs a signed-in caller',
        'history cannot be rewritten',
        'every instance one ever had can be picked, also a deleted one, and nobody else’s',
      ),
    ],
    todo: [note('An audit of how the operator works, over months')],
  },
  {
    name: 'ISO 27001',
    status: not,
    gives: [
      claim(
        'Access checked for each call, signing keys that are exchanged, a log of what was done',
        'who may call > %s needs a signed-in caller',
        'a rotation > begins by itself when the key has signed for long enough, once',
        'every instance one ever had can be picked, also a deleted one, and nobody else’s',
      ),
    ],
    todo: [note('A management system, and its certification')],
  },
  {
    name: 'HIPAA',
    status: not,
    gives: [
      claim(
        'Access checked for each call, disks that are deleted with their instance',
        'who may call > %s needs a signed-in caller',
        'machines > destroy leaves nothing of a running or stopped machine, and is done again',
      ),
    ],
    todo: [note('Agreements with customers and hosts; do not store health data before')],
  },
  {
    name: 'PCI DSS',
    status: [note('Not needed')],
    gives: [
      claim(
        'Not in scope: no call takes the number of a card',
        'no call takes the number of a card or of a bank account',
      ),
    ],
    todo: [note('Nothing, while that stays so')],
  },
]

export const known: readonly (readonly Sentence[])[] = [
  [
    note(
      'Sandboxed instances share the kernel of their host, and a fault in the kernel is a way out of them.',
    ),
    claim(
      'So the server does not offer them on a public address until its operator insists in writing.',
      'behind a proxy that the public URL tells of > sandboxes are not offered, and the operator is told why',
    ),
  ],
  [
    claim(
      'The disk of a sandboxed instance is not held to its size.',
      'a host > reports what it can and can’t enforce',
    ),
    note(
      'Several instances share the processors and the memory of one host, which may have less than all of them rented.',
    ),
  ],
  [
    claim(
      'A sandboxed instance has the programs of its host; the image of its template is not loaded.',
      'the shell of a machine by ${design} > has the programs of the host, whatever image its template names',
    ),
  ],
  [
    note(
      'VPC isolation between instances of one customer, encryption of disks, and roles within a team are planned, not built.',
    ),
  ],
  [
    note('Transport encryption is the task of the server in front of this one.'),
    note('Without it, use this one on your own machine only.'),
  ],
]

/** Where faults are reported. */
function Reporting() {
  const email = useFact('security_email')
  return email ? (
    <a href={`mailto:${email}`} className="link">
      {email}
    </a>
  ) : (
    <>
      us through the{' '}
      <a href="/contact?type=support" className="link">
        contact form
      </a>
      , type Support
    </>
  )
}

export const report: readonly Sentence[] = [
  note(
    <>
      Write to <Reporting />, with what you did, what happened, and what you think could happen.
    </>,
  ),
  note(
    'Use accounts and instances of your own, stop at the first sight of somebody else’s data, and give us time to mend it before you publish.',
  ),
  note('We will not go to law against anybody who keeps to that.'),
]

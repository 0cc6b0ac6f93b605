/** The words of the compliance page. */
import type { DocumentSlug } from '@ingot/contracts/site'
import { claim, note, type Sentence } from './claim.ts'

export const lead: readonly Sentence[] = [
  note('For each framework: what the product already does, and what the operator of this site has to add.'),
  note('No certificate is claimed on this page.'),
]

const nothingLeft =
  'nothing of the person is left anywhere in the database, and their key, sessions and password are worth nothing'
const refundAddress = 'a refund is owed, with the sealed address to write to; the mail says so'
const diskGoes = 'machines > destroy leaves nothing of a running or stopped machine, and is done again'
const checkedAccess = claim(
  'Access is checked for each call.',
  'who may call > %s needs a signed-in caller',
  'another user’s row is 404 on every route, like one that never existed > %s',
)
const activityLog = claim(
  'What was done to instances and keys is logged for their owner.',
  'every instance one ever had can be picked, also a deleted one, and nobody else’s',
  'showing it again answers the key and is recorded, with the address that asked',
)

interface Framework {
  readonly name: string
  readonly product: readonly Sentence[]
  readonly operator: readonly Sentence[]
}

export const frameworks: readonly Framework[] = [
  {
    name: 'GDPR',
    product: [
      note('What is kept, and what for, is on the privacy page.'),
      claim(
        'Profile, settings, sessions, bills and activity can be read over the API.',
        'the API reference > has an entry for every call but the development tools',
        'lists show their owner’s rows only > %s',
      ),
      claim('What is personal in an account goes with it.', nothingLeft),
      claim('A sealed address stays only where a refund is owed.', refundAddress),
      claim(
        'Pages set no cookies and load nothing from elsewhere.',
        'a browser > is never given a cookie',
        'the page %s > loads nothing from elsewhere',
      ),
    ],
    operator: [
      note(
        'A register of processing, agreements with hosts and mail carriers, and somebody who answers requests.',
      ),
    ],
  },
  {
    name: 'SOC 2',
    product: [checkedAccess, claim('The ledger is append-only.', 'history cannot be rewritten'), activityLog],
    operator: [note('Policies, evidence over months, and an auditor.'), note('No report exists until then.')],
  },
  {
    name: 'ISO 27001',
    product: [
      checkedAccess,
      claim(
        'Secrets are kept hashed or sealed.',
        'neither the database nor the log holds a password, a link, a key, a token or the server’s secret as it is',
      ),
      activityLog,
    ],
    operator: [note('A management system and its certification.')],
  },
  {
    name: 'HIPAA',
    product: [
      claim(
        'A sandboxed instance sees neither the files nor the processes of another.',
        'a machine by ${design} > sees no other machine, neither its files nor its processes',
      ),
      claim('Its disk is deleted with it.', diskGoes),
      note('Deleted is not overwritten.'),
    ],
    operator: [
      note('Agreements and safeguards around it.'),
      note('Health data does not belong here before they exist.'),
    ],
  },
  {
    name: 'Sanctions and anti-money-laundering',
    product: [
      claim(
        'Every deposit belongs to one account and to one transfer of a public transaction.',
        'deposits > every user has an address of their own, always the same, also when asked for twice at once',
        'deposits > a transaction that pays two customers, one of them twice, is three credits',
      ),
    ],
    operator: [note('Knowing its customers as far as the law where it sits asks.')],
  },
]

export const principles: readonly { readonly name: string; readonly text: readonly Sentence[] }[] = [
  {
    name: 'Purpose limitation',
    text: [note('The privacy page says of each kind of data what it is kept for.')],
  },
  {
    name: 'Data minimisation',
    text: [
      claim(
        'Company, role and use case may be left empty.',
        'company, role and use case may be left empty: an account without them deploys like any other',
      ),
      claim(
        'There are no cookies, and no page loads anything from elsewhere.',
        'a browser > is never given a cookie',
        'the page %s > loads nothing from elsewhere',
      ),
    ],
  },
  {
    name: 'Accuracy',
    text: [
      claim(
        'A bill is read from the ledger, line by line, not written beside it.',
        'two equal charges in one second are two lines',
        'the lines of a bill are the movements of the wallet, one each, and add up to its balance',
      ),
      claim(
        'Balances are kept as well, because they are asked for often; an audit derives them again and finds any that differs.',
        'tampering with %s.%s (%s) is found',
        'a sound ledger has no findings',
      ),
      claim(
        'What is personal can be corrected in the settings.',
        'settings: profile, notifications and preferences are saved; leaving asks; a failed save loses nothing',
      ),
    ],
  },
  {
    name: 'Storage limitation',
    text: [
      claim('A disk goes with its instance.', diskGoes),
      claim(
        'A network volume goes when its owner deletes it, seven days after it was not paid for, or seven days after its account.',
        'a volume costs its month when it is asked for, begins it when it is there, and returns what is left',
        'unpaid it is read-only while it runs, can’t be attached, is paid from then on, and goes after seven days',
        'they are destroyed seven days later, their months return at once, and no row has their names',
      ),
      claim(
        'What is personal in an account goes with it, but for a sealed address where a refund is owed.',
        nothingLeft,
        refundAddress,
      ),
      claim(
        'An address goes with its subscription.',
        'a subscription > begins with the link in the mail and ends with the link in any later one; the address is erased',
      ),
      note('What was sent with a form stays until its sender asks.'),
    ],
  },
  {
    name: 'Confidentiality',
    text: [
      claim(
        'What belongs to somebody else is answered as if it did not exist.',
        'another user’s row is 404 on every route, like one that never existed > %s',
        'lists show their owner’s rows only > %s',
      ),
    ],
  },
  {
    name: 'Accountability',
    text: [
      note('The source is open.'),
      claim(
        'Each claim of this page names a test there that holds it.',
        'the security, privacy and compliance pages > claim nothing without a test that there is and that runs',
      ),
    ],
  },
]

export const documentsLead: readonly Sentence[] = [
  claim(
    'A request reaches the administrators, and its sender gets a mail that it arrived.',
    'a document request arrives once, with the name of the document',
    'an inquiry > is stored, its writer hears that it arrived, and nothing they typed is mailed',
  ),
  claim('They answer by mail.', 'administrators > answer by mail, as often as needed, until they close it'),
]

export const documentNotes: Record<DocumentSlug, readonly Sentence[]> = {
  'soc-2-report': [note('Exists only once the operator was audited.'), note('Ask where that stands.')],
  'iso-27001-certificate': [
    note('Exists only once the operator is certified.'),
    note('Ask where that stands.'),
  ],
  'data-processing-agreement': [note('The contract that GDPR asks for, to be signed by both.')],
  'security-whitepaper': [note('The measures of the security page, with their design.')],
  'penetration-test-summary': [note('Exists only once a test was done.'), note('Ask where that stands.')],
  'subprocessor-list': [note('Hosts, mail and text-message carriers of this operator.')],
}

/** What customer and operator owe each other. Every rule about money is one that the ledger keeps. */
import { minimumDepositUsdt } from '@ingot/contracts/wallet'
import type { Clause } from './LegalPage.tsx'
import { OperatorName } from './write-to.tsx'

export const termsClauses: readonly Clause[] = [
  {
    id: 'parties',
    title: 'Between whom',
    plain: 'You and whoever runs this site.',
    text: [
      <>
        These terms are between you and <OperatorName /> (“we”). By creating an account you accept them. If
        you do so for a company, you say that you may.
      </>,
    ],
  },
  {
    id: 'account',
    title: 'Your account',
    plain: 'Keep your password and keys to yourself; what is done with them counts as done by you.',
    text: [
      'You must be of age where you live and give an address that reaches you. Keep passwords, second factors and API keys secret, and tell us at once when one may be known to somebody else. Until then you answer for what is done with them.',
    ],
  },
  {
    id: 'balance',
    title: 'Balance and deposits',
    plain:
      'You pay first. Send USDT on TRON and nothing else; a transfer to the wrong place cannot be fetched back.',
    text: [
      `The service is prepaid. You add to your balance by sending USDT (TRC20) to the address shown for your account. One USDT counts as one US dollar. Transfers are credited once their block is final, and from ${minimumDepositUsdt} USDT on; smaller ones are held until their sum reaches that amount. Network fees are yours.`,
      'Credit that we give is used before your balance, until the day that is shown with it. It is never paid out; what it paid and comes back is credit again.',
      'Other tokens, other networks and other addresses are lost to you and to us: we cannot return what was sent there. On a test network deposits are worth nothing, and pages say so.',
    ],
  },
  {
    id: 'charges',
    title: 'What is charged',
    plain: 'The price on the button, by the second, while it runs. Stopped costs nothing.',
    text: [
      'Prices are those of the catalogue at the time you deploy, shown before you confirm. If the price has changed since it was shown, the deployment is refused and nothing is charged. Figures elsewhere on this site that are labelled advertised, planned or sample are not prices.',
      'Deploying charges the first hour in advance, or a whole term of 90 or 365 days. Running costs the hourly price for the time from when the instance runs until you ask it to stop, measured in milliseconds; the prepaid hour is used first. Starting, stopping and stopped time is not charged.',
      'A term is paid for as a whole, whether the instance runs or not. If you delete the instance early, the time you held it is charged at the hourly price, never more than you paid, and the rest returns to your balance. When a term ends, the instance runs on at the hourly price.',
      'A network volume or a snapshot is paid by the month of 720 hours, in advance: the first month when you create it, each further one when it begins. A snapshot costs by what is stored of it. Making a volume larger is charged for what is left of its month.',
    ],
  },
  {
    id: 'empty',
    title: 'When the balance is empty',
    plain:
      'Instances stop, disks stay, and you never owe us for running time. Volumes and snapshots that are not paid for are kept for seven days.',
    text: [
      'When your balance is used up, instances that draw on it are stopped. Usage ends at the last moment that the balance covered; what ran past it is ours to bear. Disks are kept. If a balance stays empty for 90 days we may delete what it no longer pays for, after a mail at least 14 days before.',
      'If the month of a network volume cannot be paid, the volume becomes read-only; where its host cannot do that, the instance that uses it is stopped, also within a term. Seven days later it is deleted with its data, unless the month was paid before; a mail says so when it lapses. The same holds for a snapshot. The month that you pay then begins on the day it lapsed.',
    ],
  },
  {
    id: 'refunds',
    title: 'What comes back',
    plain:
      'Unused prepaid time returns to the balance. The balance itself is refunded by request when you leave.',
    text: [
      'Deleting an instance returns what is left of its deploy charge to your balance at once, and deleting a volume or a snapshot what is left of its month. Time during which an instance could not be used because of us is credited when you tell us or we find it. When you delete your account you choose what becomes of the rest: a refund in USDT to an address that you name, by request and less the network fee, or nothing. What is on hold has to be settled first.',
    ],
  },
  {
    id: 'acceptable',
    title: 'What is not allowed',
    plain: 'Nothing illegal, no attacks, no escape attempts, no mining of coins on shared machines.',
    text: [
      'You may not use the service to break the law, to attack or scan systems that are not yours, to send unsolicited mail, to distribute malware or material of abuse, to get at other customers’ data, or to escape the isolation of an instance. Mining cryptocurrency needs our consent in writing.',
      'Security research on your own instances is welcome. Report what you find as the security page says, and give us time to mend it.',
    ],
  },
  {
    id: 'yours',
    title: 'Your data and your work',
    plain: 'What you bring and what you make is yours. Backups are yours to make.',
    text: [
      'You keep every right in what you store and compute. You give us only what is needed to run it for you. The disk of an instance is one copy in one place; we make no backups of it for you, and deleting the instance deletes it. A network volume and its snapshots lie in one place as well: a snapshot is no backup against the loss of their host.',
    ],
  },
  {
    id: 'simulated',
    title: 'Simulated hardware',
    plain: 'Where a GPU is simulated, the page that sells it says so.',
    text: [
      'Some regions may run on simulated hardware, for trying the product. Every page that offers such a region names it. A simulated GPU computes nothing, and no claim about speed applies to it.',
    ],
  },
  {
    id: 'availability',
    title: 'Availability and changes',
    plain: 'We aim high, measure openly, and promise only what a signed agreement promises.',
    text: [
      'We try to keep the service available and publish what our own checks measure. A binding level of service exists only where we signed one with you. We may change the service; if we end a part you pay for, we tell you at least 30 days before and return what is prepaid for it.',
    ],
  },
  {
    id: 'liability',
    title: 'Liability',
    plain: 'We answer fully for intent and gross negligence, and otherwise up to what you paid in a year.',
    text: [
      'We are liable without limit for intent and gross negligence, for injury to life, body and health, and where the law does not let us limit it. Otherwise our liability is limited to what you paid in the twelve months before the damage, and we are not liable for lost profit or for data that a backup would have saved.',
    ],
  },
  {
    id: 'ending',
    title: 'Ending it',
    plain: 'You can leave any day in the settings. We may close an account that breaks these rules.',
    text: [
      'You can delete your account at any time in the settings. We may suspend or close an account that breaks these terms, at once where others are harmed, otherwise after a warning. What is left of the balance is returned as above, less damage you caused.',
    ],
  },
  {
    id: 'law',
    title: 'Law and the rest',
    plain: 'The law of the place where the operator is, and your rights as a consumer stay.',
    text: [
      'The law at the operator’s seat applies; rights that the law of your home gives you as a consumer remain. If one clause is invalid, the others stand. Changes to these terms are mailed at least 30 days before they apply; if you do not agree, you can leave until then.',
    ],
  },
]

/** What is kept about people, why, and for how long. It describes what the product does, not what services often do. */
import { operator, operatorName } from '../content/operator.ts'
import type { Clause } from './LegalPage.tsx'

const writeTo = operator.email.privacy ? (
  <a href={`mailto:${operator.email.privacy}`} className="link">
    {operator.email.privacy}
  </a>
) : (
  <a href="/contact" className="link">
    the contact form
  </a>
)

export const privacyClauses: readonly Clause[] = [
  {
    id: 'who',
    title: 'Who is responsible',
    plain: 'Whoever runs this site. The software is the same everywhere; the responsibility is not.',
    text: [
      <>
        The controller of your data is {operatorName}
        {operator.postalAddress && <>, {operator.postalAddress}</>}. You reach us about data protection
        through {writeTo}.
      </>,
    ],
  },
  {
    id: 'account',
    title: 'What your account holds',
    plain:
      'Your address, your name, what you told us about your work, and how you sign in. No copy of your password.',
    text: [
      'When you create an account we keep your email address, your first and last name, and, if you give them, your company, your role and what you want to use the service for. Passwords are kept as Argon2id hashes, the secrets of second factors and one-time codes sealed or hashed, and API keys as hashes: none of them can be read back. Of a security key we keep the public half.',
      'If you sign in through another provider, we keep the identifier and the email address that it tells us. We keep a list of your sessions with the browser and the network address they were opened from, so that you can see and end them.',
    ],
  },
  {
    id: 'use',
    title: 'What using it records',
    plain:
      'What ran, how long, and what it cost, because you pay by the second. What you do inside an instance is not read.',
    text: [
      'For each instance we record its configuration, its state changes, and each stretch of time it ran with what that cost. These records are the basis of your bill.',
      'What you type, store and compute inside an instance belongs to you. The disk of an instance is kept while the instance exists, and the screen of an open terminal as long as its shell, so that you find it again. Nobody reads either, except where you ask for help with it or the law compels us.',
      'The server’s log keeps technical events, such as failed requests with their address, for finding faults.',
    ],
  },
  {
    id: 'payments',
    title: 'Payments',
    plain: 'Deposits are on a public blockchain. We see what everybody can see, and link it to your account.',
    text: [
      'You pay in USDT on the TRON network, to an address that is derived for your account. The transfers to it, with the sending address, the amount and the time, are public and stay public: we can neither change nor erase them. We keep which of them belong to your account, and every movement of your balance.',
      'No card numbers and no bank details are collected.',
    ],
  },
  {
    id: 'messages',
    title: 'Forms, applications and mail',
    plain:
      'What you send us is read by people and answered; ask, and it is erased. Newsletters need your click first.',
    text: [
      'The contact form, document requests and job applications store what you enter, including a CV, so that it can be answered, and until you ask for it to be erased. A waiting list stores your address until the product is there.',
      'A subscription to the blog counts only once you have opened the link in the first mail. Each mail has a link that ends it and erases the address. Mails about your account, such as confirmations and low-balance warnings, belong to the service and follow the settings of your account where the law allows you to choose.',
    ],
  },
  {
    id: 'browser',
    title: 'Cookies and your browser',
    plain: 'No cookies, no trackers, no third parties. Your browser keeps your session and your theme.',
    text: [
      'These pages set no cookies and load nothing from other companies: fonts, scripts and pictures come from this server. Your browser’s own storage keeps your session while you are signed in, the theme you chose, and details of a sign-up that you have not finished. You can clear it at any time.',
      'There is no advertising and no tracking across sites.',
    ],
  },
  {
    id: 'sharing',
    title: 'Who else gets data',
    plain:
      'Those who carry mail and text messages for us, and authorities with a valid order. It is not sold.',
    text: [
      'Mail and text messages pass through the providers we send them with, which receive the address or number and the message. Machines and database run with the hosting providers we choose. A list is among the documents on the compliance page. We sell no data.',
      'We answer orders of authorities where the law compels us, and tell you about it where it lets us.',
    ],
  },
  {
    id: 'keeping',
    title: 'How long, and deleting',
    plain:
      'Delete an instance and its disk is gone at once. Delete your account and your person goes; the ledger stays, without your name.',
    text: [
      'Deleting an instance erases its disk immediately. Deleting your account ends your sessions, destroys your instances and removes your personal details. Entries of the ledger are append-only, because a bill must remain checkable, and are kept for as long as tax law asks; after the deletion they refer to an account without a name.',
      'Backups are overwritten in their ordinary turn.',
    ],
  },
  {
    id: 'rights',
    title: 'Your rights',
    plain:
      'See it, correct it, take it with you, have it erased, object, complain. Ask, and a person answers.',
    text: [
      <>
        You can see and correct most of your data in the settings, and read your usage and billing through the
        API in a form that programs understand. For access, correction, erasure, restriction, portability and
        objection write through {writeTo}; we answer within a month. You may complain to the data protection
        authority where you live.
      </>,
      'We process account, usage and payment data to perform our contract with you, server logs in our interest in a safe service, and newsletters with your consent, which you can withdraw.',
    ],
  },
  {
    id: 'changes',
    title: 'Changes',
    plain: 'The date at the top changes when the text does, and what matters is mailed.',
    text: [
      'We change this text when the product changes. The date above says when it last did. A change that takes something from you is mailed to your account’s address before it takes effect.',
    ],
  },
]

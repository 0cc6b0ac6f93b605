/** What is kept about people, why, and for how long. It describes what the product does, not what services often do. */
import { claim, note } from '../trust/claim.ts'
import { type PrivacyClause, readAsYou } from './privacy-staff.ts'
import * as tests from './privacy-tests.ts'
import { SentToModel } from './sent-to-model.tsx'
import { controller, reachUs, WriteTo } from './write-to.tsx'

export const privacyLead = [note('What is kept about you, why, and for how long.')]

export const privacy: readonly PrivacyClause[] = [
  {
    id: 'who',
    title: 'Who is responsible',
    plain: [
      note('Whoever runs this site.'),
      note('The software is the same everywhere; the responsibility is not.'),
    ],
    text: [[controller, reachUs]],
  },
  {
    id: 'account',
    title: 'What your account holds',
    plain: [
      note('Your address, your name, what you told us about your work, and how you sign in.'),
      claim('No copy of your password.', 'a password is kept as an Argon2id hash alone', tests.asItIs),
    ],
    text: [
      [
        note('When you create an account we keep your email address or phone number and your name.'),
        claim(
          'Your company, your role and what you want to use the service for may be left empty.',
          'company, role and use case may be left empty: an account without them deploys like any other',
        ),
        claim(
          'Passwords and recovery codes are kept as hashes, from which they cannot be read back.',
          'a password is kept as an Argon2id hash alone',
          'recovery codes > are ten, shown once, kept as hashes, and a factor of the user',
          tests.asItIs,
        ),
        claim(
          'Your API key is kept as a hash and as a sealed copy, so that you can look at it again; so are the secrets of authenticator apps, sealed.',
          'a key works as its owner, is shown masked, and lies hashed and sealed only',
          tests.keyAct,
          'enrolling an authenticator app > keeps the secret sealed',
        ),
        claim(
          'What is sealed cannot be opened with a copy of the database alone: the key to it is in the server’s settings or in a file of its own.',
          tests.asItIs,
        ),
        note('Of a security key we keep the public half; the other never leaves it.'),
      ],
      [
        claim(
          'If you sign in through another provider, we keep what it tells us about you: an identifier, the email address, the name.',
          'signing in through a provider > opens an account, with the session in the fragment',
        ),
        claim(
          'Of each session we keep the browser and the network address that it was opened from, so that you can see and end it.',
          tests.sessionList,
        ),
        claim(
          'For 90 days after a sign-in we keep its network address and the hash of a number that your browser made up for this: wrong passwords from elsewhere then do not shut you out.',
          'where somebody signed in is kept as a network and the hash of a browser’s number, and forgotten 90 days later',
          'wrong passwords from elsewhere > lock strangers out, not the owner on a network where they signed in before',
        ),
        claim(
          'The kind of browser of each sign-in is kept as well, so that a new one can be told to you by mail.',
          'a sign-in from a browser that was not used before > is told once: not again, not after an update, not after signing out',
        ),
      ],
      readAsYou,
    ],
  },
  {
    id: 'use',
    title: 'What using it records',
    plain: [
      note('What ran, how long, and what it cost, because you pay by the second.'),
      note('Of what you do inside an instance only the end of a start command’s output is read.'),
    ],
    text: [
      [
        claim(
          'For each instance we record its configuration, its state changes, and each stretch of time it ran with what that cost.',
          'deploy > charges the first hour, starts at once, and says so in the bill and the log',
          'running > the deploy charge pays the first hour; stopping after 90 minutes charges the half hour beyond, to the micro-dollar',
        ),
        note('These records are the basis of your bill.'),
        claim(
          'When a key to the API is made, shown or ended, the network address that asked is recorded for you to see.',
          tests.keyAct,
        ),
        claim(
          'When your password, address, phone, second factors, providers, keys or role change, we record who changed what, when, and from which network address, so that a stranger’s change can be told from yours; no password, key or code is part of it.',
          tests.safetyChange,
          'what changes the safety of an account > is a second factor and its recovery codes',
        ),
      ],
      [
        note('What you type, store and compute inside an instance belongs to you.'),
        claim(
          'The disk of an instance is kept while the instance exists, and the screen of an open terminal as long as its shell, so that you find it again.',
          'machines > a machine can be started and stopped again and again',
          'terminals > detaching leaves the shell alive, and its id returns to it with the screen restored',
          tests.diskGone,
        ),
        claim(
          'A network volume or a snapshot is kept until you delete it, or until seven days after its month could not be paid.',
          tests.volumeEnds,
          'unpaid it is kept for seven days and not restored from; paid, its month begins when it lapsed',
        ),
        note('Nobody reads any of them, except where you ask for help with it or the law compels us.'),
        claim(
          'The server reads how much processor time an instance uses, and when something was last typed, to stop it where you asked for that when it is idle.',
          'idle for its minutes it stops once, says so, and is charged up to the stop, to the micro-dollar',
          'what is typed into its terminal keeps it, also where the driver cannot tell what works',
        ),
        claim(
          'When the start command of an instance ends by itself, how it ended and the last eight lines that it wrote are kept in your activity log.',
          'a command that fails is started again, and its end is told with its code and its last lines',
        ),
        claim(
          'A template that you make is kept until you delete it or your account.',
          'a template is made, changed and deleted by its owner, and no answer has a secret in it',
          'a private template is its owner’s alone, and goes with the account',
        ),
        claim(
          'The secrets of a template are kept sealed, and no call answers them.',
          'secrets are variables of the owner’s machines from the start, and of no clone',
          'a template is made, changed and deleted by its owner, and no answer has a secret in it',
        ),
      ],
      [
        claim(
          'To keep guessers and floods out, calls are counted by network address and wrong tries by account; both counts are dropped about a day after they end.',
          'requests of one IP > are limited per route, and other IPs are not touched: POST %s',
          'wrong passwords > are counted for days, not for ever, and swept away',
        ),
        claim(
          'The server’s log keeps technical events for finding faults, such as errors and the paths of pages that are not there.',
          'while pages are exchanged > a page that is not there is logged by its path, without what stands behind it',
        ),
        claim('No password, link, key or token is written to it.', tests.asItIs),
      ],
    ],
  },
  {
    id: 'payments',
    title: 'Payments',
    plain: [
      note('Deposits are on a public blockchain.'),
      note('We see what everybody can see, and link it to your account.'),
    ],
    text: [
      [
        claim(
          'You pay in USDT on the TRON network, to an address that is derived for your account.',
          'deposits > every user has an address of their own, always the same, also when asked for twice at once',
        ),
        note(
          'The transfers to it, with the sending address, the amount and the time, are public and stay public: we can neither change nor erase them.',
        ),
        claim(
          'We keep which of them belong to your account, and every movement of your balance.',
          'deposits > what arrives at one’s own address is credited by itself, after it was shown arriving',
          'the lines of a bill are the movements of the wallet, one each, and add up to its balance',
        ),
      ],
      [
        claim(
          'No card numbers and no bank details are collected.',
          'no call takes the number of a card or of a bank account',
        ),
      ],
    ],
  },
  {
    id: 'messages',
    title: 'Forms, applications and mail',
    plain: [
      note('What you send us is read by people and answered; ask, and it is erased.'),
      claim('Newsletters need your click first.', tests.subscription),
    ],
    text: [
      [
        claim(
          'The contact form, document requests and job applications store what you enter, so that it can be answered; a CV is sealed.',
          'an inquiry > is stored, its writer hears that it arrived, and nothing they typed is mailed',
          'an application > for a job that exists > arrives with %s, which only an administrator gets, byte for byte',
        ),
        claim(
          'A CV that no application follows is deleted after an hour or two.',
          'an application > for a job that exists > a CV is for one application, within the hour, and only as it was sent; what waits too long is deleted',
        ),
        note('What arrived stays until you ask for it to be erased, also when you delete an account.'),
        claim(
          'Support tickets, their messages and what is attached to them are erased with the account.',
          tests.personGone,
          'tickets, messages and attachments go with their account',
        ),
        claim(
          'A waiting list stores your address for the product that you chose.',
          'a waiting list holds an address once per product',
        ),
      ],
      [
        claim(
          'Where automated replies are on, a program looks for an answer to a ticket in the documentation and in the instances, deposits and charges of the account that wrote it, and in those alone; each reply says that no person wrote it.',
          'deposits and charges are those of who asks, whatever names and ids the message has',
          'a question is answered from the documentation and from the own instance, and says that it is automated',
        ),
        note(<SentToModel />),
        claim(
          'Once you ask for a person, nothing automated is written to that ticket before one has answered.',
          'who asks for a person gets nothing automated before one has answered',
        ),
      ],
      [
        claim(
          'A subscription to the blog counts only once you have opened the link in the first mail, and each mail has a link that ends it and erases the address.',
          tests.subscription,
        ),
        note('Mails about your account, such as confirmations, belong to the service.'),
        claim(
          'Warnings about your balance and your instances follow your settings.',
          'who switched all off is told nothing, and no text goes to a phone that was not confirmed',
        ),
        claim(
          'Of a mail we keep to whom and when it went and its subject, while the account exists; its text is sealed, and dropped once it is sent.',
          'a mail is sealed until it is sent, and then only its subject and to whom it went are kept',
          tests.personGone,
        ),
      ],
    ],
  },
  {
    id: 'browser',
    title: 'Cookies and your browser',
    plain: [
      claim('No cookies, no third parties in pages.', tests.noCookies, tests.nothingElsewhere),
      note('Your browser keeps your session, and what makes pages as you left them.'),
    ],
    text: [
      [
        claim('These pages set no cookies.', tests.noCookies),
        claim(
          'They load nothing from other companies: fonts, scripts and pictures come from this server.',
          tests.nothingElsewhere,
          'a browser > is let load and send nothing but from and to this server',
        ),
        note('There is no advertising and no tracking across sites.'),
      ],
      [
        claim(
          'Your browser’s own storage keeps your session while you are signed in, and whether it may outlive the browser.',
          tests.storage,
        ),
        claim(
          'It keeps the theme, the single-key shortcuts, the look of the terminal and the tool of examples that you chose, what you chose at the last deploy, and which announcements you put away.',
          tests.storage,
        ),
        claim(
          'It keeps, until you are through with them, the address and the details of a sign-up, which terminals belong to a tab, and the name of its instance.',
          tests.storage,
        ),
        claim(
          'It keeps a number that it made up, by which the service knows it again at a sign-in.',
          tests.storage,
          'a browser keeps its number, in the form that the service takes, and another has another',
        ),
        claim('It keeps whether this service takes money of a test network.', tests.storage),
        claim('Of an administrator it keeps which customer a tab acts as.', tests.storage),
        note('You can clear it at any time.'),
      ],
    ],
  },
  {
    id: 'sharing',
    title: 'Who else gets data',
    plain: [
      note('Those who carry mail and text messages for us, and authorities with a valid order.'),
      note('It is not sold.'),
    ],
    text: [
      [
        note(
          'Mail and text messages pass through the providers we send them with, which receive the address or number and the message.',
        ),
        note('Machines and database run with the hosting providers we choose.'),
        note('A list is among the documents on the compliance page.'),
        note('We sell no data.'),
      ],
      [
        note(
          'We answer orders of authorities where the law compels us, and tell you about it where it lets us.',
        ),
      ],
    ],
  },
  {
    id: 'keeping',
    title: 'How long, and deleting',
    plain: [
      claim('Delete an instance and its disk is deleted with it.', tests.diskGone),
      claim(
        'Delete your account and its volumes and snapshots are destroyed seven days later.',
        tests.volumesGo,
      ),
      claim(
        'Delete your account and what names you goes; the ledger stays, without your name.',
        tests.personGone,
      ),
    ],
    text: [
      [
        claim('Deleting an instance ends it and deletes its disk.', tests.diskGone),
        claim(
          'Network volumes and snapshots of a deleted account are out of reach at once and destroyed seven days later.',
          tests.volumesGo,
        ),
        note('Deleted is not overwritten.'),
        claim(
          'Deleting your account ends your sessions, destroys your instances and removes your personal details.',
          tests.personGone,
          'running and stopped instances are charged up to now, refunded their rest, destroyed, and lose their names',
        ),
        claim(
          'If money is left to be refunded, a sealed copy of your address is kept, so that we can write to you about it.',
          'a refund is owed, with the sealed address to write to; the mail says so',
        ),
        claim(
          'Entries of the ledger are append-only, because a bill must remain checkable; after the deletion they refer to an account without a name.',
          'history cannot be rewritten',
          tests.personGone,
        ),
        claim(
          'Invoices stay as they were written: with the name, the address and the tax number that you gave for them, encrypted, your e-mail address, encrypted, and, where they were written before the deletion, the names of what they charged.',
          'an account that is deleted leaves its invoices, with the name on them, and nothing else',
          'what is told of the customer and the operator is frozen, and sealed',
        ),
        note('Both are kept for as long as tax law asks.'),
        claim(
          'So is the record of changes of your account’s safety, without what was changed, addresses and names.',
          tests.safetyErased,
        ),
      ],
      [note('Backups are overwritten in their ordinary turn.')],
    ],
  },
  {
    id: 'rights',
    title: 'Your rights',
    plain: [
      note('See it, correct it, take it with you, have it erased, object, complain.'),
      note('Ask, and a person answers.'),
    ],
    text: [
      [
        claim(
          'You can see and correct most of your data in the settings.',
          'settings: profile, notifications and preferences are saved; leaving asks; a failed save loses nothing',
          'an email is changed when both mailed links have been opened',
        ),
        claim(
          'You can read your usage and billing through the API in a form that programs understand.',
          'the lines of a bill are the movements of the wallet, one each, and add up to its balance',
          'the summary counts everything, and today where the reader is',
        ),
        note(
          <>
            For access, correction, erasure, restriction, portability and objection write through <WriteTo />;
            we answer within a month.
          </>,
        ),
        note('You may complain to the data protection authority where you live.'),
      ],
      [
        note(
          'We process account, usage and payment data to perform our contract with you, server logs in our interest in a safe service, and newsletters with your consent, which you can withdraw.',
        ),
      ],
    ],
  },
  {
    id: 'changes',
    title: 'Changes',
    plain: [note('What matters is mailed.')],
    text: [
      [
        note('What is owed and promised here is of the date above.'),
        note('What is said of the product changes with the product, and its tests hold it to that.'),
        note(
          'A change that takes something from you is mailed to your account’s address before it takes effect.',
        ),
      ],
    ],
  },
]

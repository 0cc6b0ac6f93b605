/** The words of the security page: what is built in. */
import { claim, note, type Sentence } from './claim.ts'

export const lead: readonly Sentence[] = [
  note(
    'What the product does to protect accounts, instances and money, and what only its operator can prove.',
  ),
  note('The two are kept apart on this page, because they are often sold as one.'),
]

export const builtLead: readonly Sentence[] = [
  claim(
    'Each sentence that claims something names a test of the product, and the page fails its own test when there is none.',
    'the security, privacy and compliance pages > claim nothing without a test that there is and that runs',
  ),
  note('An operator may set limits otherwise; what stands here is how it is unless somebody does.'),
]

interface Measure {
  readonly name: string
  readonly text: readonly Sentence[]
}

export const built: readonly { readonly title: string; readonly measures: readonly Measure[] }[] = [
  {
    title: 'Signing in',
    measures: [
      {
        name: 'Passwords',
        text: [
          claim('Kept as Argon2id hashes alone.', 'a password is kept as an Argon2id hash alone'),
          claim(
            'Common ones are refused.',
            'what everybody tries first opens no account: %s',
            'it is no new password either',
          ),
          claim(
            'Wrong ones make the next try wait, longer each time, whether or not there is such an account.',
            'wrong passwords > make the next try wait, longer each time; the right one waits too, then all is forgotten',
            'wrong passwords > lock an address without an account in the same way',
          ),
          claim(
            'Those from elsewhere do not shut out a network or a browser that the account was used from.',
            'wrong passwords from elsewhere > lock strangers out, not the owner on a network where they signed in before',
            'wrong passwords from elsewhere > nor in a browser where they signed in before, wherever it is now',
          ),
          claim(
            'Each network address may try only so often.',
            'requests of one IP > are limited per route, and other IPs are not touched: POST %s',
          ),
        ],
      },
      {
        name: 'Second factor',
        text: [
          claim(
            'An authenticator app, a security key or a phone, with ten recovery codes.',
            'a right code > raises the session: same id, new tokens, aal2, the method first; clients are told',
            'a security key > is added and used by the client’s own helpers, and raises the session',
            'a phone as second factor > is enrolled with its number, and challenged by a message whose code raises the session',
            'recovery codes > are ten, shown once, kept as hashes, and a factor of the user',
          ),
          claim(
            'Once one is set up, a session without it can make no call of the API and change neither password nor address.',
            'a session without the second factor > may not call /v1, which asks for the code; an unfinished factor asks for nothing',
            'a session without the second factor > changes neither password nor address, but may say things about the user',
          ),
          claim('An API key asks for none.', 'a second factor is no matter of a key'),
        ],
      },
      {
        name: 'Sessions',
        text: [
          claim(
            'Short-lived signed tokens (ES256).',
            'signing in > answers a session whose token the client verifies by the published keys',
            'a token > stops working when its time is over, remembered or not',
          ),
          claim(
            'Settings list every session, and one that is ended there is over with its next call.',
            'the list: this one first, then by last activity, with what each signed in from',
            'ending one is effective with its next call; the present one and another user’s stay',
          ),
          claim(
            'A refresh token that two newer ones have replaced ends its session when it turns up more than ten seconds later.',
            'a refresh token > that is older than that was stolen: the session ends for everybody',
          ),
        ],
      },
      {
        name: 'API keys',
        text: [
          claim(
            'Kept as a hash, by which a key is recognised, and as a sealed copy, from which its owner can look at it again.',
            'a key works as its owner, is shown masked, and lies hashed and sealed only',
            'showing it again answers the key and is recorded, with the address that asked',
          ),
          claim(
            'Each look is recorded, and so is the time of the last use.',
            'showing it again answers the key and is recorded, with the address that asked',
            'its use is noted, at most once a minute',
          ),
          claim(
            'A key cannot do what asks for a session, such as making or showing keys.',
            'withdrawals, deletion, sessions and the key itself take no API key',
          ),
        ],
      },
      {
        name: 'First proof',
        text: [
          claim(
            'Anybody can sign up with your address, so the first proof that it is yours drops the password, second factors and sessions that were set before.',
            'whoever proves the address without a password of their own finds no stranger’s > %s',
            'where accounts open without a mail, the first proof ends all that a stranger had > password, second factor, sessions, and keys',
          ),
        ],
      },
      {
        name: 'Alerts',
        text: [
          claim(
            'A mail tells of a new password, and, unless you switch that off, of a sign-in from a browser that was not used before.',
            'a sign-in from a browser that was not used before > is told by mail: what it was, from where, when, and what to do',
            'a sign-in from a browser that was not used before > is not told to who does not want that, who is told of a new password all the same',
            'the owner of an account is told > of a new password',
          ),
        ],
      },
    ],
  },
  {
    title: 'Instances in a sandbox',
    measures: [
      {
        name: 'Isolation',
        text: [
          claim(
            'Users, processes, files and network of its own; it sees no other instance.',
            'a machine by ${design} > is root of itself, with a name and a home of its own',
            'a machine by ${design} > sees no other machine, neither its files nor its processes',
            'a machine by ${design} > has no way to the host’s network, and its own loopback works',
          ),
          claim(
            'No capabilities, no way to gain one, and, where the host can load one, a filter for system calls.',
            'a machine by ${design} > has no capability, can gain none, and runs under a filter, its first process included',
          ),
          claim(
            'Where the server runs as root, each customer has a user of their own on the host, which nobody else’s instances have.',
            'a tenant (needs root) > has one uid for all machines, also made at once, and gives it back with the last of them',
            'a machine by ${design} > runs as a uid that nothing else has (needs root)',
          ),
        ],
      },
      {
        name: 'Network',
        text: [
          claim(
            'Its own loopback and nothing else: no other instance, no service of the host, no internet.',
            'a machine by ${design} > has no way to the host’s network, and its own loopback works',
          ),
        ],
      },
      {
        name: 'Limits',
        text: [
          claim(
            'Where the server runs as root and the host has control groups, an instance gets no more memory and processors than it rented, and a fixed number of processes.',
            'a machine by ${design} > is limited in processes and memory, and lives on (needs root)',
            'control groups > are one in the unified hierarchy, with its controllers switched on above it',
          ),
          claim(
            'Elsewhere nothing holds it to that, and the server says so when it starts.',
            'control groups > are none where none can be made, and that is said',
            'a host > reports what it can and can’t enforce',
          ),
        ],
      },
      {
        name: 'Terminal',
        text: [
          claim(
            'A one-time ticket opens it.',
            'a ticket is good once, for its own instance, and not after signing out',
          ),
          claim(
            'No open file and no environment variable of the server reaches an instance.',
            'a machine by ${design} > knows nothing of the control plane: no environment, no open file',
          ),
        ],
      },
    ],
  },
  {
    title: 'Money',
    measures: [
      {
        name: 'Ledger',
        text: [
          claim(
            'Append-only, one row for each movement, with triggers that refuse changes.',
            'history cannot be rewritten',
          ),
          claim(
            'Only the names of instances are taken out of it, when their account is deleted.',
            'running and stopped instances are charged up to now, refunded their rest, destroyed, and lose their names',
          ),
          claim(
            'Every balance can be derived again from it; the audit that does so finds any row that was tampered with, and runs after every API test.',
            'tampering with %s.%s (%s) is found',
            'a sound ledger has no findings',
          ),
        ],
      },
      {
        name: 'Deposits',
        text: [
          claim(
            'Addresses come from a public key.',
            'deposit addresses > equal tronweb’s own for 60 indexes',
          ),
          claim(
            'The server refuses a private one, so breaking into it moves no deposit that has arrived.',
            'what is taken for an xpub > a private key is refused, and never repeated in the message',
          ),
        ],
      },
      {
        name: 'Limits',
        text: [
          claim(
            'A balance does not go below zero, however many calls draw on it at once.',
            'deploy > of 64 at once on a wallet that can pay for 3, exactly 3 succeed and 61 are refused',
            'an empty wallet > usage ends at the last millisecond the money covered, however late the timer',
          ),
          claim(
            'A deployment that is sent again with its Idempotency-Key happens and is charged once.',
            'deploy > a retry with the same Idempotency-Key deploys once and answers the same',
          ),
        ],
      },
    ],
  },
  {
    title: 'The service',
    measures: [
      {
        name: 'Browser',
        text: [
          claim(
            'A content security policy lets pages load and send nothing but from and to this server.',
            'a browser > is let load and send nothing but from and to this server',
          ),
          claim('No cookies are set.', 'a browser > is never given a cookie'),
        ],
      },
      {
        name: 'Secrets',
        text: [
          claim(
            'A copy of the database holds no password, link, token, API key or secret of an authenticator app as it is, and neither does the log.',
            'neither the database nor the log holds a password, a link, a key, a token or the server’s secret as it is',
          ),
          claim(
            'What has to be read again is sealed with a key that is not in the database.',
            'neither the database nor the log holds a password, a link, a key, a token or the server’s secret as it is',
            'a sealed key opens in its own row only',
          ),
        ],
      },
      {
        name: 'Ownership',
        text: [
          claim(
            'A generated test makes each call with somebody else’s row, and gets the same "not found" as for one that never was.',
            'another user’s row is 404 on every route, like one that never existed > %s',
          ),
          claim('Lists hold their owner’s rows only.', 'lists show their owner’s rows only > %s'),
        ],
      },
    ],
  },
]

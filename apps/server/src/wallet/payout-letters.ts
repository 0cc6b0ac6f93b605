/** The mails about money that goes back: when it is asked for, and when it is there. */
import { withdrawalWaitHours, type Withdrawal } from '@ingot/contracts/withdrawals'
import { type Micro, moneyText, parseUsd } from '@ingot/contracts/money'
import { readable, signature } from '../auth/letters/letters.ts'
import type { Letter } from '../worker/mail.ts'

interface Asked {
  readonly to: string
  readonly host: string
  readonly withdrawal: Withdrawal
  /** Cancels it. */
  readonly link: string
}

export const asked = ({ to, host, withdrawal, link }: Asked): Letter => ({
  to,
  subject: `Withdrawal of ${amountOf(withdrawal)} from your Ingot wallet`,
  text: `Somebody, most likely you, asked at ${host} to send ${amountOf(withdrawal)} in USDT to this TRON address:

${withdrawal.address}

It is sent after ${readable(new Date(withdrawal.payable_at!))} at the earliest. To an address that was not paid to before, and after a change of password, email or second factor, it takes ${withdrawalWaitHours} hours. Until it is being sent, this link cancels it and puts the money back, without signing in:

${link}

If it was not you, open the link, then change your password: somebody else is signed in to your account.${signature}`,
})

const amountOf = ({ amount_usdt }: Withdrawal) => moneyText(parseUsd(amount_usdt))

interface Paid {
  readonly to: string
  readonly host: string
  readonly amount: Micro
  readonly address: string
  readonly txid: string
}

export const paid = ({ to, host, amount, address, txid }: Paid): Letter => ({
  to,
  subject: `${moneyText(amount)} was sent to you from Ingot`,
  text: `${moneyText(amount)} in USDT from ${host} has arrived for good at this TRON address:

${address}

The transaction is ${txid}.${signature}`,
})

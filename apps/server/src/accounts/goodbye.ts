/** The last mail to somebody whose account was deleted. */
import { type BalanceChoice, volumeGraceDays } from '@ingot/contracts/accounts'
import { type Micro, moneyText } from '@ingot/contracts/money'
import type { Letter } from '../worker/mail.ts'

export interface Goodbye {
  readonly to: string
  readonly host: string
  readonly balance: BalanceChoice | null
  /** What was left. */
  readonly amount: Micro
}

export function goodbye({ to, host, balance, amount }: Goodbye): Letter {
  return {
    to,
    forget: true,
    subject: 'Your Ingot account is deleted',
    text: `The account with this address at ${host} is deleted. Its instances are being destroyed, network volumes and snapshots follow after ${volumeGraceDays} days, and what we knew about you is erased. Records of payments stay, without your name.
${aboutBalance(balance, amount)}
Thank you for having been here. You may sign up again with this address at any time.

Ingot
`,
  }
}

function aboutBalance(balance: BalanceChoice | null, amount: Micro): string {
  if (amount === 0n) return ''
  if (balance === 'forfeit') return `\nYou gave up the ${moneyText(amount)} that were left in your wallet.\n`
  return `\n${moneyText(amount)} were left in your wallet and will be refunded. Answer this mail with the TRON (TRC20) address that the USDT are to be sent to. For this alone we keep your address, encrypted, until it is done.\n`
}

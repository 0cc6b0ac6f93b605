/** Where anybody can look a transfer up; nothing on a test network, whose blocks no explorer has. */
export const explorerUrl = (hash: string, chain: string): string | null =>
  chain === 'tron' ? `https://tronscan.org/#/transaction/${hash}` : null

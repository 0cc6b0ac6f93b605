/** Senders as they are: an unmodified wallet library against a node's HTTP interface. For tests. */
import { TronWeb } from 'tronweb'
import { toBase58 } from './address.ts'
import type { Account } from './devnet/accounts.ts'

export interface TronWebPayer {
  readonly address: string
  /** Signs and broadcasts a call of a contract; returns the transaction's id. */
  call(
    contract: string,
    signature: string,
    args: readonly { readonly type: string; readonly value: unknown }[],
    feeLimit?: number,
  ): Promise<string>
  transfer(token: string, to: string, amount: bigint, feeLimit?: number): Promise<string>
  sendTrx(to: string, sun: number): Promise<string>
  sendTrc10(to: string, amount: number, asset: string): Promise<string>
}

const ample = 150_000_000

export function createTronWebPayer(url: string, account: Account): TronWebPayer {
  const tronWeb = new TronWeb({ fullHost: url, privateKey: account.privateKey })
  const address = toBase58(account.address20)
  const broadcast = async (transaction: Parameters<typeof tronWeb.trx.sign>[0]) => {
    const signed = await tronWeb.trx.sign(transaction)
    const answer = await tronWeb.trx.sendRawTransaction(signed as never)
    if (!answer.result) throw new Error(`not taken: ${JSON.stringify(answer)}`)
    return (signed as { txID: string }).txID
  }
  const call: TronWebPayer['call'] = async (contract, signature, args, feeLimit = ample) => {
    const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
      contract,
      signature,
      { feeLimit },
      args as never,
      address,
    )
    return broadcast(transaction)
  }
  return {
    address,
    call,
    transfer: (token, to, amount, feeLimit) =>
      call(
        token,
        'transfer(address,uint256)',
        [
          { type: 'address', value: to },
          { type: 'uint256', value: amount },
        ],
        feeLimit,
      ),
    sendTrx: async (to, sun) => broadcast(await tronWeb.transactionBuilder.sendTrx(to, sun, address)),
    sendTrc10: async (to, amount, asset) =>
      broadcast(await tronWeb.transactionBuilder.sendToken(to, amount, asset, address)),
  }
}

/** A chain as an operator has it, behind real HTTP: a devnet that mines by hand, and more nodes of it with their own faults. */
import { developmentKey } from '@ingot/tron/devnet/accounts'
import { createDevnet, type Devnet, type DevnetOptions } from '@ingot/tron/devnet/devnet'

type OtherNode = Awaited<ReturnType<Devnet['addNode']>>

export interface TestChain {
  readonly devnet: Devnet
  /** All but the first, in the order of the endpoints. */
  readonly others: readonly OtherNode[]
  readonly env: Readonly<Record<string, string>>
}

export async function startTestChain(nodes: number, options: DevnetOptions = {}): Promise<TestChain> {
  const devnet = createDevnet({ blockMs: 0, ...options })
  const { url } = await devnet.start()
  const others: OtherNode[] = []
  while (others.length < nodes - 1) others.push(await devnet.addNode())
  return {
    devnet,
    others,
    env: {
      INGOT_TRON_ENDPOINT: [url, ...others.map(each => each.url)].join(),
      INGOT_TRON_XPUB: developmentKey("m/44'/195'/7'").publicExtendedKey,
      INGOT_TRON_CONTRACT: devnet.usdtContract,
    },
  }
}

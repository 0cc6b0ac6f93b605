import { CopyButton } from '../../../ui/CopyButton.tsx'
import { explorerUrl } from './explorer.ts'

interface ChainProofProps {
  readonly hash: string
  /** `tron`, or the network for tests. */
  readonly chain: string
}

/** A transfer as the chain has it: its hash to copy, and on a real network a link to where it is seen. */
export function ChainProof({ hash, chain }: ChainProofProps) {
  const url = explorerUrl(hash, chain)
  const short = `${hash.slice(0, 8)}…${hash.slice(-6)}`
  return (
    <span className="inline-flex items-center gap-1">
      {url ? (
        <a href={url} target="_blank" rel="noreferrer" className="font-mono text-code text-link underline">
          {short}
        </a>
      ) : (
        <span className="font-mono text-code" title={hash}>
          {short}
        </span>
      )}
      <CopyButton text={hash} what="Transaction hash" />
    </span>
  )
}

import { type Api, api } from '@ingot/contracts/api'
import type { Operation } from '@ingot/contracts/operation'
import { callText, type CallValues } from './call-text.ts'
import { CopyCurlButton } from './CopyCurlButton.tsx'

/** `budgets.set`: a call as the client of the API has it. */
export type CallName = {
  [Noun in keyof Api & string]: `${Noun}.${keyof Api[Noun] & string}`
}[keyof Api & string]

export function curlOf(call: CallName, values: CallValues = {}): string {
  const [noun, name] = call.split('.') as [string, string]
  const op = (api as Record<string, Record<string, Operation>>)[noun]![name]!
  return callText(location.origin, op, { call, answer: 'answer' }, values)[0].text
}

interface CopyCallProps {
  readonly call: CallName
  /** As they would be sent now. */
  readonly values?: CallValues
}

/** The same as a command, for where a button has room and a block has none. */
export const CopyCall = ({ call, values }: CopyCallProps) => <CopyCurlButton text={curlOf(call, values)} />

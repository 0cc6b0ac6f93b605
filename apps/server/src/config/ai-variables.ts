/** A model that writes automated replies. */
import { BlockList, isIP } from 'node:net'
import { ConfigError } from './config-error.ts'
import { integer, matching, text, type Values, type Variables } from './variable.ts'

const here = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  here.addSubnet(network, bits)

/** What customers write goes there, with the key: over TLS, except to this machine and the networks around it. */
function isPrivateWay(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null
  if (!url || url.username || url.search || url.hash) return false
  if (url.protocol === 'https:') return true
  const isNear = url.hostname === 'localhost' || (isIP(url.hostname) === 4 && here.check(url.hostname))
  return url.protocol === 'http:' && isNear
}

export const aiVariables = {
  INGOT_AI_URL: matching(isPrivateWay, {
    advice:
      'Write where chat/completions is, such as https://api.example.com/v1 or http://127.0.0.1:11434/v1',
    absent: null,
    shown: 'none: replies are put together from facts',
    does: 'An endpoint that speaks the OpenAI protocol: a model there writes automated replies. What customers write in tickets is sent to it, and the pages say so.',
  }),
  INGOT_AI_KEY: text({ absent: null, does: 'Its key, where it wants one.' }),
  INGOT_AI_MODEL: text({ absent: null, does: 'The name of the model, needed with it.' }),
  INGOT_AI_SECONDS: integer({
    min: 1,
    max: 60,
    absent: 20,
    does: 'How long a reply may take there; after that it is put together from facts.',
  }),
  INGOT_AI_TOKENS_A_DAY: integer({
    min: 0,
    max: 1_000_000_000,
    absent: 500_000,
    does: 'How many tokens it may take in 24 hours, read and written; beyond them replies are put together from facts.',
  }),
  INGOT_AI_REPLIES_A_DAY: integer({
    min: 0,
    max: 1_000_000,
    absent: 2_000,
    does: 'How many automated replies the whole service writes in 24 hours; beyond them a person is asked for.',
  }),
} satisfies Variables

/** Automated replies. */
export interface AiConfig {
  /** Who writes them; null: they are put together from facts. */
  readonly model: AiModel | null
  readonly repliesADay: number
}

export interface AiModel {
  /** Of chat/completions. */
  readonly url: string
  readonly host: string
  readonly key: string | null
  readonly name: string
  readonly timeoutMs: number
  readonly tokensADay: number
}

export function readAi(given: Values<typeof aiVariables>): AiConfig {
  const { INGOT_AI_URL: url, INGOT_AI_MODEL: name, INGOT_AI_REPLIES_A_DAY: repliesADay } = given
  if (!url !== !name) throw new ConfigError('A model needs both INGOT_AI_URL and INGOT_AI_MODEL')
  if (!url || !name) return { model: null, repliesADay }
  return {
    model: {
      url: `${url.replace(/\/+$/, '')}/chat/completions`,
      host: new URL(url).host,
      key: given.INGOT_AI_KEY,
      name,
      timeoutMs: given.INGOT_AI_SECONDS * 1000,
      tokensADay: given.INGOT_AI_TOKENS_A_DAY,
    },
    repliesADay,
  }
}

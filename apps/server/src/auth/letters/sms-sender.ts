/**
 * What carries messages to phones: a provider that is spoken to as Twilio is, or the inbox of a test cloud. Without
 * either, phones are not offered.
 */
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { keepSms } from '../../worker/mail.ts'

export const channels = ['sms', 'whatsapp'] as const
export type Channel = (typeof channels)[number]

export interface Sms {
  /** Digits, without the leading plus. */
  readonly to: string
  readonly text: string
  readonly channel: Channel
}

export interface SmsSender {
  /** As `GET /settings` names it. */
  readonly name: string
  readonly channels: readonly Channel[]
  /** Resolves to the message's id; rejects when it was not taken. */
  send(sms: Sms): Promise<string>
}

export function openSms(config: Config['sms'], database: Database, vault: Vault): SmsSender | null {
  if (!config) return null
  if (config.kind === 'inbox') {
    return {
      name: 'inbox',
      channels: ['sms'],
      send: ({ to, text }) => keepSms(database.kysely, vault, { to: `+${to}`, text }),
    }
  }
  return { name: 'twilio', channels, send: sms => post(config, sms) }
}

const timeoutMs = 5_000

/** Messages are posted as to Twilio, which others imitate. */
async function post(
  { url, account, token, from }: Extract<Config['sms'], { kind: 'twilio' }>,
  { to, text, channel }: Sms,
): Promise<string> {
  const prefix = channel === 'whatsapp' ? 'whatsapp:' : ''
  const sender: Record<string, string> = from.startsWith('MG')
    ? { MessagingServiceSid: from }
    : { From: prefix + from }
  const response = await fetch(`${url}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}` },
    body: new URLSearchParams({ To: `${prefix}+${to}`, ...sender, Body: text }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const answer = (await response.json().catch(() => ({}))) as { sid?: unknown; status?: unknown }
  if (!response.ok || answer.status === 'failed' || answer.status === 'undelivered')
    throw new Error(`the SMS provider answered ${response.status}`)
  return String(answer.sid ?? '')
}

/**
 * A security key's answer as browsers send it, with a limit on every part. The host and origins that a caller names
 * beside it are not read.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Body } from '../../body.ts'
import { invalid } from '../../errors.ts'

export type KeyAnswer =
  | {
      readonly type: 'create'
      readonly response: RegistrationResponseJSON
      readonly transports: readonly string[]
    }
  | { readonly type: 'request'; readonly response: AuthenticationResponseJSON }

const maxBytes = 24 * 1024
/** Characters of base64url. The longest id has 1023 bytes; no key that is offered makes a part of 6 KB. */
const maxId = 1364
const maxPart = 8192
const ways = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])

/** `isNew`: the factor has no key yet, so the answer has to bring one; later it must not. */
export function readAnswer(body: Body, isNew: boolean): KeyAnswer {
  const webauthn = body.object('webauthn', maxBytes)
  if (!webauthn) throw invalid('WebAuthn config required')
  const type = isNew ? 'create' : 'request'
  if (webauthn['type'] !== type) throw invalid(`WebAuthn type must be ${type}`)
  const credential = record(webauthn['credential_response'], 'credential_response')
  const parts = record(credential['response'], 'credential_response.response')
  const id = text(credential, 'id', maxId)
  if (text(credential, 'rawId', maxId) !== id)
    throw invalid('Invalid credential_response: id and rawId differ')
  const common = { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const
  const clientDataJSON = text(parts, 'clientDataJSON', maxPart)
  if (type === 'create') {
    const attestationObject = text(parts, 'attestationObject', maxPart)
    const response = { ...common, response: { clientDataJSON, attestationObject } }
    return { type, response, transports: readTransports(parts['transports']) }
  }
  const authenticatorData = text(parts, 'authenticatorData', maxPart)
  const signature = text(parts, 'signature', maxPart)
  return { type, response: { ...common, response: { clientDataJSON, authenticatorData, signature } } }
}

function record(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`Invalid credential_response: ${name} must be an object`)
  return value as Record<string, unknown>
}

function text(from: Record<string, unknown>, name: string, maxLength: number): string {
  const value = Object.hasOwn(from, name) ? from[name] : undefined
  if (typeof value !== 'string' || !/^[\w-]+$/.test(value) || value.length > maxLength)
    throw invalid(`Invalid credential_response: ${name} must be base64url of at most ${maxLength} characters`)
  return value
}

/** A hint for later; what is no known way is left out. */
const readTransports = (value: unknown): string[] =>
  Array.isArray(value) ? [...new Set(value as unknown[])].filter(isWay) : []

const isWay = (value: unknown): value is string => typeof value === 'string' && ways.has(value)

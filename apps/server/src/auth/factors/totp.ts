/** Codes of authenticator apps (RFC 6238): SHA-1, six digits, 30 seconds, and one step of clock error either way. */
import { Secret, TOTP } from 'otpauth'
import { renderSVG } from 'uqr'

export const secretBytes = 20

const algorithm = 'SHA1'
const digits = 6
const period = 30
const window = 1

export interface TotpEnrolment {
  readonly qr_code: string
  readonly secret: string
  readonly uri: string
}

/** What the user puts into the app. The picture is SVG text, which clients put into a data URL. */
export function presentTotp(secret: Buffer, issuer: string, label: string): TotpEnrolment {
  const totp = new TOTP({ issuer, label, algorithm, digits, period, secret: secretOf(secret) })
  const uri = totp.toString()
  return { qr_code: renderSVG(uri, { ecc: 'M', border: 4 }), secret: totp.secret.base32, uri }
}

/** The time step whose code this is, or null. */
export function stepOf(secret: Buffer, code: string, timestamp: number): bigint | null {
  const token = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const delta = TOTP.validate({
    token,
    secret: secretOf(secret),
    algorithm,
    digits,
    period,
    timestamp,
    window,
  })
  return delta === null ? null : BigInt(TOTP.counter({ period, timestamp }) + delta)
}

const secretOf = (bytes: Buffer) => new Secret({ buffer: Uint8Array.from(bytes).buffer })

/** Who a SAML assertion is about: a name that stays, an address, and what the connection maps to further claims. */
import type { Profile } from '@node-saml/node-saml'
import { emailOf } from '../../addresses.ts'
import { AuthError } from '../../errors.ts'
import { type Person, textOf } from '../provider.ts'
import type { Connection } from './queries.ts'
import { emailAddress, persistent } from './saml.ts'

const subjectAttribute = 'urn:oasis:names:tc:SAML:attribute:subject-id'
const emailAttributes = [
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'http://schemas.xmlsoap.org/claims/EmailAddress',
  'mail',
  'Mail',
  'email',
  'Email',
]
const maxArray = 50

export function samlPerson(profile: Profile, connection: Connection): Person {
  const attributes = (profile['attributes'] ?? {}) as Readonly<Record<string, unknown>>
  const subject = textOf(attributes[subjectAttribute]) ?? subjectOf(profile)
  if (!subject)
    throw new AuthError(
      400,
      'saml_assertion_no_user_id',
      'SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user',
    )
  const claims = mappedClaims(attributes, connection)
  const email = addressOf(profile, attributes, claims)
  if (!email)
    throw new AuthError(400, 'saml_assertion_no_email', 'SAML Assertion does not contain an email address')
  const { email: _, ...custom } = claims
  return {
    subject,
    emails: [{ email, verified: true, primary: true }],
    data: {
      iss: connection.entity_id,
      sub: subject,
      email,
      email_verified: true,
      phone_verified: false,
      ...(Object.keys(custom).length ? { custom_claims: custom } : {}),
    },
  }
}

/** Only names that the identity provider never gives to somebody else. */
function subjectOf({ nameID, nameIDFormat }: Profile): string | null {
  if (nameIDFormat === persistent) return textOf(nameID?.trim())
  if (nameIDFormat === emailAddress) return emailOf(textOf(nameID?.trim()) ?? '')
  return null
}

function addressOf(
  profile: Profile,
  attributes: Readonly<Record<string, unknown>>,
  claims: Readonly<Record<string, unknown>>,
): string | null {
  const candidates = [
    claims['email'],
    ...emailAttributes.map(name => attributes[name]),
    profile.nameIDFormat === emailAddress ? profile.nameID : null,
  ]
  const email = candidates.map(each => textOf(Array.isArray(each) ? each[0] : each)?.trim()).find(Boolean)
  return email ? emailOf(email) : null
}

function mappedClaims(
  attributes: Readonly<Record<string, unknown>>,
  { attribute_mapping: mapping }: Connection,
): Record<string, unknown> {
  const claims: Record<string, unknown> = {}
  for (const [claim, { name, names = [], default: otherwise, array }] of Object.entries(mapping.keys ?? {})) {
    const values = [name, ...names]
      .filter(each => each !== undefined)
      .flatMap(each => (attributes[each] === undefined ? [] : [attributes[each]].flat()))
      .map(textOf)
      .filter(each => each !== null)
      .slice(0, maxArray)
    if (values.length) claims[claim] = array ? values : values[0]
    else if (otherwise !== undefined) claims[claim] = otherwise
  }
  return claims
}

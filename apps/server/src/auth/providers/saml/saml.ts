/**
 * This service as a SAML 2.0 service provider. node-saml makes the request and checks the answer's signature, times and
 * audience. What it leaves open is checked here, on the signed assertion alone: that it answers our request, was made
 * for our address, and comes from the connection's identity provider.
 */
import {
  generateServiceProviderMetadata,
  type Profile,
  SAML,
  ValidateInResponseTo,
} from '@node-saml/node-saml'
import { invalid } from '../../errors.ts'
import { basePath } from '../../wire.ts'
import type { Connection } from './queries.ts'
import { samlKey, type SamlKeyNeeds } from './saml-key.ts'
import { children, type Element, hasEntities, type IdentityProvider, readMetadata } from './saml-metadata.ts'
import { selfSigned } from './self-signed.ts'

export interface SamlNeeds extends SamlKeyNeeds {
  readonly siteUrl: string
}

const clockSkewMs = 60_000
const maxAnswer = 512 * 1024

const entityIdOf = ({ siteUrl }: { siteUrl: string }): string => `${siteUrl}${basePath}/sso/saml/metadata`
const acsUrlOf = ({ siteUrl }: { siteUrl: string }): string => `${siteUrl}${basePath}/sso/saml/acs`

export async function ownMetadata(needs: SamlNeeds): Promise<string> {
  const key = await samlKey(needs)
  return generateServiceProviderMetadata({
    issuer: entityIdOf(needs),
    callbackUrl: acsUrlOf(needs),
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicCerts: selfSigned(key, new URL(needs.siteUrl).hostname),
    signatureAlgorithm: 'sha256',
    wantAssertionsSigned: true,
    identifierFormat: persistent,
    // The same document each time.
    generateUniqueId: () => '_ingot',
  })
}

export const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
export const emailAddress = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

async function serviceProvider(
  needs: SamlNeeds,
  connection: Connection,
  idp: IdentityProvider,
  requests: Map<string, string>,
): Promise<SAML> {
  const key = await samlKey(needs)
  return new SAML({
    issuer: entityIdOf(needs),
    callbackUrl: acsUrlOf(needs),
    entryPoint: idp.signOnUrl,
    idpCert: [...idp.certificates],
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }) as string,
    signatureAlgorithm: 'sha256',
    audience: entityIdOf(needs),
    identifierFormat: connection.name_id_format ?? persistent,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: clockSkewMs,
    validateInResponseTo: ValidateInResponseTo.always,
    cacheProvider: {
      saveAsync(key, value) {
        requests.set(key, value)
        return Promise.resolve({ value, createdAt: Date.now() })
      },
      getAsync: key => Promise.resolve(requests.get(key) ?? null),
      removeAsync: key => Promise.resolve(key),
    },
  })
}

/** Where to send the browser, and the id of the request that it carries. */
export async function samlRequest(
  needs: SamlNeeds,
  connection: Connection,
  relayState: string,
): Promise<{ url: string; requestId: string }> {
  const requests = new Map<string, string>()
  const idp = await readMetadata(connection.metadata_xml)
  const saml = await serviceProvider(needs, connection, idp, requests)
  const url = await saml.getAuthorizeUrlAsync(relayState, undefined, {})
  const [requestId] = requests.keys()
  return { url, requestId: requestId! }
}

/** Throws, with a reason for the log alone, unless the answer is a good one to this request. */
export async function samlAnswer(
  needs: SamlNeeds,
  connection: Connection,
  requestId: string,
  answer: string,
): Promise<Profile> {
  const xml = readAnswer(answer)
  if (hasEntities(xml)) throw new Error('it has a document type')
  if (/xmldsig#(rsa-sha1|dsa-sha1|sha1|hmac-sha1)["']/.test(xml)) throw new Error('it is signed with SHA-1')
  const idp = await readMetadata(connection.metadata_xml)
  const requests = new Map([[requestId, new Date().toISOString()]])
  const saml = await serviceProvider(needs, connection, idp, requests)
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: answer })
  if (!profile) throw new Error('it holds no assertion')
  const assertion = profile.getAssertion!()['Assertion'] as Element
  if (children(assertion, 'Issuer')[0]?._?.trim() !== connection.entity_id)
    throw new Error('another identity provider made the assertion')
  if (!isConfirmed(assertion, requestId, acsUrlOf(needs)))
    throw new Error('the assertion is not confirmed for this request and address')
  return profile
}

function readAnswer(answer: string): string {
  if (!answer) throw invalid('SAMLResponse is missing')
  if (answer.length > maxAnswer) throw invalid(`SAMLResponse is too long (at most ${maxAnswer} characters)`)
  return Buffer.from(answer, 'base64').toString()
}

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'

/** Web browser SSO profile, 4.1.4.3: all of it must be in one and the same confirmation. */
function isConfirmed(assertion: Element, requestId: string, acsUrl: string): boolean {
  return children(children(assertion, 'Subject')[0], 'SubjectConfirmation').some(confirmation => {
    const data = children(confirmation, 'SubjectConfirmationData')[0]?.$
    const until = Date.parse(data?.['NotOnOrAfter'] ?? '')
    return (
      confirmation.$?.['Method'] === bearer &&
      data?.['InResponseTo'] === requestId &&
      data['Recipient'] === acsUrl &&
      until + clockSkewMs > Date.now()
    )
  })
}

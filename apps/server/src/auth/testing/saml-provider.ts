/** A SAML identity provider whose answers are truly signed, and can be wrong in every way. */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { signXml } from '@node-saml/node-saml/lib/xml.js'
import { siteUrl } from './auth-server.ts'
import { selfSigned } from '../providers/saml/self-signed.ts'

export const acsUrl = `${siteUrl}/auth/v1/sso/saml/acs`
export const ownEntityId = `${siteUrl}/auth/v1/sso/saml/metadata`
export const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'

export interface Assertion {
  readonly requestId: string
  readonly nameId?: string
  readonly format?: string
  readonly email?: string | null
  readonly attributes?: Readonly<Record<string, string | readonly string[]>>
  readonly audience?: string
  readonly recipient?: string
  readonly issuer?: string
  /** Of the confirmation alone; the response says `requestId`. Null: none. */
  readonly confirmedRequestId?: string | null
  /** Seconds from now. */
  readonly from?: number
  readonly until?: number
  readonly sign?: 'assertion' | 'response' | 'nothing'
  readonly key?: KeyObject
  readonly signature?: 'sha1' | 'sha256'
}

export interface TestIdp {
  readonly entityId: string
  readonly key: KeyObject
  readonly metadata: string
  /** Base64, as the browser posts it. */
  answer(assertion: Assertion): string
}

export const newKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

export function createIdp(key = newKey(), entityId = `https://idp.example/${randomUUID()}`): TestIdp {
  const certificate = selfSigned(key, 'idp.example').replace(/-----[^-]+-----|\s/g, '')
  return {
    entityId,
    key,
    metadata: `<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>
      <ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/login"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`,
    answer: assertion =>
      Buffer.from(signed({ key, ...assertion }, responseXml({ issuer: entityId, ...assertion }))).toString(
        'base64',
      ),
  }
}

export const requestIdOf = (url: URL): string =>
  /ID="([^"]+)"/.exec(
    inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest')!, 'base64')).toString(),
  )![1]!

function responseXml(given: Assertion): string {
  const time = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
  const { requestId, from = -10, until = 300 } = given
  const attributes = {
    ...(given.email ? { email: given.email } : {}),
    ...given.attributes,
  }
  const statement = Object.entries(attributes)
    .map(
      ([name, values]) =>
        `<saml:Attribute Name="${name}">${[values]
          .flat()
          .map(value => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
          .join('')}</saml:Attribute>`,
    )
    .join('')
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomUUID()}" Version="2.0" IssueInstant="${time(0)}" Destination="${acsUrl}" InResponseTo="${requestId}"><saml:Issuer>${given.issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion ID="_${randomUUID()}" Version="2.0" IssueInstant="${time(from)}"><saml:Issuer>${given.issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${given.format ?? persistent}">${given.nameId ?? 'ada'}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${time(until)}" Recipient="${given.recipient ?? acsUrl}"${given.confirmedRequestId === null ? '' : ` InResponseTo="${given.confirmedRequestId ?? requestId}"`}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${time(from)}" NotOnOrAfter="${time(until)}"><saml:AudienceRestriction><saml:Audience>${given.audience ?? ownEntityId}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${time(from)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>${statement ? `<saml:AttributeStatement>${statement}</saml:AttributeStatement>` : ''}</saml:Assertion></samlp:Response>`
}

function signed({ key, sign = 'assertion', signature = 'sha256' }: Assertion, xml: string): string {
  if (sign === 'nothing') return xml
  const path = sign === 'assertion' ? '//*[local-name(.)="Assertion"]' : '/*[local-name(.)="Response"]'
  return signXml(
    xml,
    path,
    { reference: `${path}/*[local-name(.)="Issuer"]`, action: 'after' },
    {
      privateKey: key!.export({ type: 'pkcs8', format: 'pem' }) as string,
      signatureAlgorithm: signature,
      digestAlgorithm: signature,
      xmlSignatureTransforms: [
        'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
        'http://www.w3.org/2001/10/xml-exc-c14n#',
      ],
    },
  )
}

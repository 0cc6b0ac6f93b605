/** What a SAML identity provider publishes about itself, and what an administrator's connection to it keeps of that. */
import { parseXml2JsFromString } from '@node-saml/node-saml/lib/xml.js'
import { AuthError, invalid } from '../../errors.ts'
import { providerTimeoutSeconds } from '../provider.ts'

export interface IdentityProvider {
  readonly entityId: string
  /** Where browsers are sent with a request. */
  readonly signOnUrl: string
  /** Those that may have signed an answer, as base64. */
  readonly certificates: readonly string[]
}

/** Parsed XML: elements by name, attributes under `$`, text under `_`. */
export interface Element {
  readonly $?: Readonly<Record<string, string>>
  readonly _?: string
  readonly [name: string]: readonly Element[] | Readonly<Record<string, string>> | string | undefined
}

export const children = (element: Element | undefined, name: string): readonly Element[] => {
  const found = element?.[name]
  return Array.isArray(found) ? (found as readonly Element[]).map(asElement) : []
}
/** An element without attributes is its text alone. */
const asElement = (value: Element | string): Element => (typeof value === 'string' ? { _: value } : value)

const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const maxCertificates = 10
export const maxMetadata = 256 * 1024

export async function readMetadata(xml: string): Promise<IdentityProvider> {
  const root = await parse(xml)
  const entity = root?.['EntityDescriptor'] as Element | undefined
  const entityId = entity?.$?.['entityID']?.trim()
  if (!entity || !entityId) throw invalid('SAML Metadata does not contain an EntityID')
  const descriptors = children(entity, 'IDPSSODescriptor')
  if (descriptors.length === 0) throw invalid('SAML Metadata does not contain any IDPSSODescriptor')
  if (descriptors.length > 1) throw invalid('SAML Metadata contains multiple IDPSSODescriptors')
  const signOnUrl = children(descriptors[0], 'SingleSignOnService').find(
    ({ $ }) => $?.['Binding'] === redirectBinding,
  )?.$?.['Location']
  if (!signOnUrl || !/^https?:$/.test(URL.canParse(signOnUrl) ? new URL(signOnUrl).protocol : ''))
    throw invalid('SAML Metadata does not contain a SingleSignOnService for the HTTP-Redirect binding')
  const certificates = certificatesOf(descriptors[0]!)
  if (certificates.length === 0) throw invalid('SAML Metadata does not contain a signing certificate')
  return { entityId, signOnUrl, certificates }
}

async function parse(xml: string): Promise<Record<string, unknown> | null> {
  if (xml.length > maxMetadata) throw invalid(`SAML Metadata is too long (at most ${maxMetadata} characters)`)
  if (hasEntities(xml)) throw invalid('SAML Metadata with a document type is not supported')
  const parsed = await parseXml2JsFromString(xml).catch(() => null)
  if (!parsed) throw invalid('SAML Metadata is not valid XML')
  return parsed as Record<string, unknown>
}

/** Nothing in SAML needs them, and they are how XML reads files and fills memory. */
export const hasEntities = (xml: string): boolean => /<!\s*(DOCTYPE|ENTITY)/i.test(xml)

function certificatesOf(descriptor: Element): string[] {
  return children(descriptor, 'KeyDescriptor')
    .filter(({ $ }) => !$?.['use'] || $['use'] === 'signing')
    .flatMap(key => children(key, 'KeyInfo'))
    .flatMap(info => children(info, 'X509Data'))
    .flatMap(data => children(data, 'X509Certificate'))
    .map(({ _ }) => _?.replace(/\s+/g, '') ?? '')
    .filter(text => /^[A-Za-z0-9+/]+=*$/.test(text))
    .slice(0, maxCertificates)
}

export async function fetchMetadata(url: string): Promise<string> {
  const response = await fetch(url, {
    headers: { accept: 'application/samlmetadata+xml, application/xml' },
    redirect: 'error',
    signal: AbortSignal.timeout(providerTimeoutSeconds * 1000),
  }).catch(() => null)
  if (!response?.ok)
    throw new AuthError(
      400,
      'saml_metadata_fetch_failed',
      `${response ? `HTTP ${response.status}` : 'Network'} error fetching SAML Metadata from URL '${url}'`,
    )
  return readText(response)
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    size += part.length
    if (size > maxMetadata) throw invalid(`SAML Metadata is too long (at most ${maxMetadata} bytes)`)
  }
  return Buffer.concat(parts).toString()
}

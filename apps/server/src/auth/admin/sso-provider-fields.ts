/**
 * What an administrator may write about a SAML connection. The identity provider's metadata says who it is; its domains
 * lead to it.
 */
import type { Body } from '../body.ts'
import { invalid } from '../errors.ts'
import { fetchMetadata, maxMetadata, readMetadata } from '../providers/saml/saml-metadata.ts'
import { emailAddress, persistent } from '../providers/saml/saml.ts'

const nameIdFormats = [
  persistent,
  emailAddress,
  'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
]
const domainForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/
const maxDomains = 100

interface SsoProviderFields {
  readonly metadata: { readonly entityId: string; readonly xml: string; readonly url: string | null } | null
  /** Null: not given. */
  readonly domains: readonly string[] | null
  readonly mapping: Record<string, unknown> | null
  readonly nameIdFormat: string | null
  readonly disabled: boolean | null
}

export async function readSsoProvider(body: Body, isNew: boolean): Promise<SsoProviderFields> {
  const url = body.text('metadata_url', 2048)
  const xml = body.text('metadata_xml', maxMetadata)
  if (isNew && body.text('type', 64) !== 'saml') throw invalid("Only 'saml' supported for SSO provider type")
  if (url && xml) throw invalid('Only one of metadata_xml or metadata_url needs to be set')
  if (isNew && !url && !xml) throw invalid('Either metadata_xml or metadata_url must be set')
  if (url && !URL.canParse(url)) throw invalid('metadata_url is not a valid URL')
  if (url && new URL(url).protocol !== 'https:') throw invalid('metadata_url is not a HTTPS URL')
  const nameIdFormat = body.text('name_id_format')
  if (nameIdFormat && !nameIdFormats.includes(nameIdFormat))
    throw invalid(`name_id_format must be unspecified or one of ${nameIdFormats.join(', ')}`)
  return {
    domains: readDomains(body),
    mapping: readMapping(body.object('attribute_mapping')),
    nameIdFormat: nameIdFormat || null,
    disabled: body.has('disabled') ? body.flag('disabled', false) : null,
    metadata: url || xml ? await readGiven(url, xml) : null,
  }
}

async function readGiven(url: string, given: string) {
  const xml = given || (await fetchMetadata(url))
  const { entityId } = await readMetadata(xml)
  return { entityId, xml, url: url || null }
}

function readDomains(body: Body): readonly string[] | null {
  const domains = body.texts('domains', maxDomains)?.map(domain => domain.trim().toLowerCase())
  const wrong = domains?.find(domain => domain.length > 253 || !domainForm.test(domain))
  if (wrong !== undefined) throw invalid(`${JSON.stringify(wrong)} is not a domain`)
  return domains ? [...new Set(domains)] : null
}

/** `{keys: {claim: {name | names, default, array}}}` */
function readMapping(mapping: Record<string, unknown> | null): Record<string, unknown> | null {
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const keys = mapping?.['keys'] ?? {}
  const isMapped = (value: unknown): boolean =>
    isRecord(value) &&
    ['string', 'undefined'].includes(typeof value['name']) &&
    (value['names'] === undefined ||
      (Array.isArray(value['names']) && value['names'].every(name => typeof name === 'string')))
  if (!isRecord(keys) || !Object.values(keys).every(isMapped))
    throw invalid('attribute_mapping must be {"keys": {"claim": {"name": "attribute"}}}')
  return mapping
}

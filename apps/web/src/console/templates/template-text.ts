/** A template in words, and as what a form holds. */
import type { RegionEntry } from '@ingot/contracts/catalog-calls'
import { templates } from '@ingot/contracts/templates'
import { callText, type CallValues } from '../shell/call-text.ts'

export const templateCalls = (call: keyof typeof templates, values: CallValues) =>
  callText(
    location.origin,
    templates[call],
    {
      call: `templates.${call}`,
      answer: call === 'list' || call === 'mine' ? '{ items }' : 'template',
    },
    values,
  )

/** Where whoever has it sees the template. */
export const shareLink = (origin: string, id: string, key: string): string =>
  `${origin}/console/templates?${new URLSearchParams({ view: id, key }).toString()}`

/** What becomes of the image in a region; null where it decides what runs. */
export function imageText(
  { runs_images, shell }: Pick<RegionEntry, 'runs_images' | 'shell'>,
  template: { readonly docker_image: string; readonly start_command?: string | null } | undefined,
): string | null {
  if (runs_images) return null
  const image = template?.docker_image ?? 'of the template'
  if (shell === 'simulated')
    return `The image ${image} is not loaded in this region${template?.start_command ? ', and the start command is not run' : ''}: nothing real runs here.`
  return `The image ${image} is not loaded in this region. Machines here have the programs of their host: what the template names is there only if the host has it.`
}

/** Where the image decides what runs. */
export function loadedText(
  regions: readonly Pick<RegionEntry, 'id' | 'available' | 'runs_images'>[],
): string {
  const open = regions.filter(region => region.available)
  const loading = open.filter(region => region.runs_images)
  if (loading.length === 0)
    return 'In no region now: machines have the programs of their host, and what the template names only if the host has it.'
  if (loading.length === open.length) return 'In every region.'
  return `In ${loading.map(region => region.id).join(', ')}. Elsewhere machines have the programs of their host.`
}

/** Of a variable. */
export const nameForm = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

/** `NAME=value`, one a line. A value with line breaks or edges of spaces stands in double quotes, as in JSON. */
export const variablesText = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${/[\r\n]|^\s|\s$|^"/.test(value) ? JSON.stringify(value) : value}`)
    .join('\n')

/** Or what is wrong, with its line. */
export function readVariables(text: string): Record<string, string> | string {
  const found = new Map<string, string>()
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (!line.trim() || line.trimStart().startsWith('#')) continue
    const [name, value] = [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1).trim()]
    if (!line.includes('=')) return `Line ${at + 1} is no NAME=value`
    if (!nameForm.test(name))
      return `Line ${at + 1}: a name has letters, digits and underscores, and begins with no digit`
    if (found.has(name)) return `Line ${at + 1}: ${name} is there twice`
    const plain = value.startsWith('"') ? unquoted(value) : value
    if (plain === null) return `Line ${at + 1}: what begins with a double quote ends with one`
    found.set(name, plain)
  }
  return Object.fromEntries(found)
}

function unquoted(value: string): string | null {
  try {
    const read: unknown = JSON.parse(value)
    return typeof read === 'string' ? read : null
  } catch {
    return null
  }
}

/** `8000, 8888`; or what is wrong. */
export function readPorts(text: string): number[] | string {
  const parts = text.split(/[\s,]+/).filter(Boolean)
  const wrong = parts.find(part => !/^\d{1,5}$/.test(part) || Number(part) < 1 || Number(part) > 65_535)
  return wrong === undefined
    ? [...new Set(parts.map(Number))]
    : `${wrong} is no port: they go from 1 to 65535`
}

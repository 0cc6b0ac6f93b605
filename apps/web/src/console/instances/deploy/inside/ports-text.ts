import { maxPorts } from '@ingot/contracts/instance/ports'
import { readPorts } from '../../../templates/template-text.ts'

/** The ports with those that were typed, by number; or what is wrong. */
export function withPorts(
  ports: readonly number[],
  template: readonly number[],
  text: string,
): readonly number[] | string {
  const read = readPorts(text)
  if (typeof read === 'string') return `${read}.`
  const known = read.find(port => template.includes(port))
  if (known !== undefined) return `${known} is opened by the template already.`
  const all = [...new Set([...ports, ...read])].toSorted((a, b) => a - b)
  return all.length + template.length > maxPorts
    ? `At most ${maxPorts} ports${template.length > 0 ? `, with the template's ${template.length}` : ''}.`
    : all
}

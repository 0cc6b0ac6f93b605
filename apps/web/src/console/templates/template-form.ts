/** What the form of a template holds, what is wrong with it, and what is sent of it. */
import type { TemplateCategory, TemplateDetails } from '@ingot/contracts/templates'
import { templateLimits } from '@ingot/contracts/templates'
import { readPorts, readVariables, variablesText } from './template-text.ts'

export interface TemplateForm {
  readonly name: string
  readonly description: string
  readonly category: TemplateCategory
  readonly docker_image: string
  readonly start_command: string
  readonly ports: string
  readonly disk_gb: string
  readonly env: string
  /** Those that there are already, of which nobody knows the values. */
  readonly kept: readonly { readonly name: string; readonly isRemoved: boolean }[]
  readonly secrets: string
  readonly hasCredentials: boolean
  readonly dropsCredentials: boolean
  readonly username: string
  readonly password: string
  readonly readme: string
  readonly visibility: 'private' | 'link'
}

export const blankTemplate: TemplateForm = {
  name: '',
  description: '',
  category: 'Machine Learning',
  docker_image: '',
  start_command: '',
  ports: '',
  disk_gb: '',
  env: '',
  kept: [],
  secrets: '',
  hasCredentials: false,
  dropsCredentials: false,
  username: '',
  password: '',
  readme: '',
  visibility: 'private',
}

export const formOf = (template: TemplateDetails): TemplateForm => ({
  ...blankTemplate,
  name: template.name,
  description: template.description,
  category: template.category,
  docker_image: template.docker_image,
  start_command: template.start_command ?? '',
  ports: template.ports.join(', '),
  disk_gb: template.disk_gb === null ? '' : String(template.disk_gb),
  env: variablesText(template.env),
  kept: template.secret_names.map(name => ({ name, isRemoved: false })),
  hasCredentials: template.has_registry_credentials,
  readme: template.readme,
  visibility: template.visibility === 'link' ? 'link' : 'private',
})

/** What was read of it, and what is wrong, by field. */
export function readForm(form: TemplateForm) {
  const [env, secrets, ports] = [readVariables(form.env), readVariables(form.secrets), readPorts(form.ports)]
  const disk = form.disk_gb.trim()
  const errors: Record<string, string> = {}
  if (!form.name.trim()) errors['name'] = 'Give it a name.'
  if (!form.docker_image.trim()) errors['docker_image'] = 'Name an image.'
  else if (!/^[A-Za-z0-9][A-Za-z0-9._:/@-]*$/.test(form.docker_image.trim()))
    errors['docker_image'] = 'An image has letters, digits and ._:/@- only.'
  if (typeof env === 'string') errors['env'] = env
  if (typeof secrets === 'string') errors['secrets'] = secrets
  if (typeof ports === 'string') errors['ports'] = ports
  else if (ports.length > templateLimits.ports) errors['ports'] = `At most ${templateLimits.ports} ports.`
  if (disk && !(/^\d+$/.test(disk) && Number(disk) >= 1 && Number(disk) <= templateLimits.disk_gb))
    errors['disk_gb'] = `A whole number from 1 to ${templateLimits.disk_gb}.`
  if (Boolean(form.username) !== Boolean(form.password))
    errors['registry_credentials'] = 'A name needs its password, and a password its name.'
  return {
    errors,
    env: typeof env === 'string' ? {} : env,
    secrets: typeof secrets === 'string' ? {} : secrets,
    ports: typeof ports === 'string' ? [] : ports,
  }
}

/** Of secrets and credentials only what changes. */
export function wishOf(form: TemplateForm) {
  const { env, secrets, ports } = readForm(form)
  const removed = form.kept.filter(each => each.isRemoved && !Object.hasOwn(secrets, each.name))
  const credentials = form.username
    ? { username: form.username, password: form.password }
    : form.dropsCredentials
      ? null
      : undefined
  const changes: Record<string, string | null> = {
    ...Object.fromEntries(removed.map(({ name }) => [name, null])),
    ...secrets,
  }
  return {
    name: form.name.trim(),
    description: form.description.trim(),
    category: form.category,
    docker_image: form.docker_image.trim(),
    env,
    secrets: changes,
    ...(credentials === undefined ? {} : { registry_credentials: credentials }),
    ports,
    start_command: form.start_command.trim() ? form.start_command : null,
    disk_gb: form.disk_gb.trim() ? Number(form.disk_gb) : null,
    readme: form.readme,
    visibility: form.visibility,
  }
}

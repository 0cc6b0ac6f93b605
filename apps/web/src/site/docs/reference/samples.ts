/** Values for examples: by the field's name where a real one helps, else the plainest its schema allows. */
import { deployDefaults } from '@ingot/contracts/catalog'
import { type JsonSchema, jsonSchemaOf } from '@ingot/contracts/json-schema'
import type { Operation } from '@ingot/contracts/operation'
import { builtInTemplates } from '@ingot/contracts/templates'

const byName: Readonly<Record<string, unknown>> = {
  amount: 25,
  chain: 'TRC20',
  company: 'Analytical Engines',
  cpu_cores: 8,
  credits: '0.000000',
  description: 'Deploy train-1: initial setup',
  email: 'ada@example.com',
  first_name: 'Ada',
  gpu_count: 1,
  gpu_type: 'A40',
  ip: '203.0.113.7',
  last_name: 'Lovelace',
  masked: 'ingot_…8f3a',
  key_value: 'ingot_…',
  memory_gb: 48,
  message: 'Everything runs.',
  month: '2026-10',
  name: 'train-1',
  network_name: 'TRON (TRC20)',
  networkName: 'TRON (TRC20)',
  next_cursor: null,
  path: '/',
  port: 8888,
  region: 'US-East',
  status_message: null,
  status_reason: null,
  template_id: builtInTemplates[0]!.id,
  template_name: builtInTemplates[0]!.name,
  terminal_id: 'main',
  tx_hash: 'ab'.repeat(32),
  time: '20:00',
  time_zone: 'Europe/Berlin',
  txHash: 'ab'.repeat(32),
  url: '/v1/terminal?ticket=…',
  ticket: '…',
  walletAddress: 'T…',
  weekdays: [1, 2, 3, 4, 5],
}

/** Where the required fields alone would show too little. */
const byOperation: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createInstance: {
    name: 'train-1',
    template_id: builtInTemplates[0]!.id,
    ...deployDefaults,
    quoted_hourly_cost: '0.750000',
  },
  createTemplate: {
    name: 'Server',
    category: 'LLM',
    docker_image: 'registry.example.com/server:1',
    start_command: 'exec serve --model "$MODEL" --port 8000',
    env: { MODEL: 'small' },
    secrets: { HF_TOKEN: '…' },
    ports: [8000],
  },
  updateTemplate: { secrets: { HF_TOKEN: null }, visibility: 'link' },
  updateInstance: { name: 'train-2' },
  updateProfile: { company: 'Analytical Engines', role: 'ml-engineer' },
  updateSettings: { auto_shutdown_enabled: true, auto_shutdown_minutes: 30 },
  issueInvoice: { month: '2026-10' },
  setInvoiceCustomer: {
    name: 'Analytical Engines Ltd',
    address: '12 St James’s Square\nLondon SW1Y 4JH\nUnited Kingdom',
    tax_number: 'GB 123 4567 89',
  },
  snoozeInstance: { until: '2026-11-24T09:00:00.000Z' },
  createInstanceSchedule: {
    action: 'stop',
    time: '20:00',
    weekdays: [1, 2, 3, 4, 5],
    time_zone: 'Europe/Berlin',
  },
  updateInstanceSchedule: { enabled: false },
  listInstances: { status: 'running' },
  listInstanceFiles: { path: '/workspace' },
  makeInstanceFolder: { path: '/workspace/data' },
  moveInstanceFile: { path: '/workspace/model.bin', to: '/workspace/data/model.bin' },
  deleteInstanceFile: { path: '/workspace/old.log' },
  beginUploadToInstance: { path: '/workspace/model.bin', bytes: 9_437_184 },
  listVolumeFiles: { path: '/' },
  makeVolumeFolder: { path: '/data' },
  moveVolumeFile: { path: '/model.bin', to: '/data/model.bin' },
  deleteVolumeFile: { path: '/old.log' },
  downloadVolumeFile: { path: '/model.bin' },
  beginUploadToVolume: { path: '/model.bin', bytes: 9_437_184 },
  putUploadPiece: { offset: 8_388_608, sha256: 'ab'.repeat(32) },
  finishUpload: { sha256: 'ab'.repeat(32) },
  uploadAttachment: { name: 'kernel.log', sha256: 'ab'.repeat(32) },
  downloadInstanceFile: { path: '/workspace/model.bin' },
  requestWithdrawal: { amount: '25', address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', password: '…' },
  previewPrice: { gpu_type: 'A40', hourly: '0.80', three_months: '570', year: '2080' },
  setPrice: {
    gpu_type: 'A40',
    hourly: '0.80',
    three_months: '570',
    year: '2080',
    reason: 'Power costs more',
  },
  sellCards: {
    model: 'NVIDIA L40S',
    name: 'L40S',
    vcpus: 12,
    ram_gb: 96,
    hourly: '1.20',
    three_months: '850',
    year: '3100',
    reason: 'New cards',
  },
  creditWallet: { amount: '5', reason: 'Goodwill' },
  debitWallet: { amount: '5', reason: 'Paid twice' },
  setRefundAddress: { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
  addInstancePort: { port: 8888, name: 'Notebook', path: '/lab' },
  updateInstancePort: { visibility: 'public' },
  setBudget: { instance_id: null, limit: '500', at_limit: 'stop' },
}

const sampleId = '01980000-0000-7000-8000-0000000000a1'

export function sampleInput(op: Operation): Record<string, unknown> {
  const schema = jsonSchemaOf(op.input, 'input', 'draft-2020-12')
  const required = Object.entries(schema.properties ?? {})
    .filter(([key]) => (schema.required ?? []).includes(key))
    .map(([key, property]) => [key, sampleOf(key, property)])
  return { ...Object.fromEntries(required), ...byOperation[op.id] }
}

export function sampleOf(name: string, schema: JsonSchema): unknown {
  const types = schema['type']
  if (Array.isArray(types)) {
    if (name in byName && byName[name] === null) return null
    return sampleOf(name, { ...schema, type: types.find(type => type !== 'null') as string })
  }
  const options = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined
  if (name in byName && allows(schema, byName[name])) return byName[name]
  if (options) return sampleOf(name, options.find(option => option['type'] !== 'null') ?? options[0]!)
  if ('const' in schema) return schema['const']
  const choices = schema['enum'] as unknown[] | undefined
  if (choices) return choices[0]
  if (schema['default'] !== undefined) return schema['default']
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, property]) => [key, sampleOf(key, property)]),
    )
  if (schema['type'] === 'array') return [sampleOf('', schema['items'] as JsonSchema)]
  if (schema['type'] === 'object') return {}
  if (schema['type'] === 'boolean') return true
  if (schema['type'] === 'integer' || schema['type'] === 'number') {
    const least = schema['minimum'] as number | undefined
    return least !== undefined && least > 1 ? least : 1
  }
  if (schema['format'] === 'uuid') return sampleId
  if (schema['format'] === 'date-time') return '2026-11-21T09:30:00.000Z'
  if (schema['format'] === 'date') return '2026-11-21'
  if (String(schema['pattern'] ?? '').includes('{6}')) return '0.750000'
  return 'text'
}

/** A value by name must be of the schema's kind: `name` is a text here and a choice there. */
function allows(schema: JsonSchema, value: unknown): boolean {
  const options = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined
  if (options) return options.some(option => allows(option, value))
  if ('const' in schema) return schema['const'] === value
  const choices = schema['enum'] as unknown[] | undefined
  if (choices) return choices.includes(value)
  if (value === null) return schema['type'] === 'null'
  if (schema['format'] === 'uuid' || schema['format'] === 'date-time')
    return typeof value === 'string' && schema['format'] === 'uuid' && /^[\da-f-]{36}$/.test(value)
  if (schema['type'] === 'integer') return Number.isInteger(value)
  return typeof value === schema['type']
}

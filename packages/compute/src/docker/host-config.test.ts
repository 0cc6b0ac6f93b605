/** Whatever a customer writes, the engine is asked for nothing that is not on our list. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MachineSpec } from '../driver.ts'
import { type Cards, containerOf, type Place, refusedSpec } from './host-config.ts'

const place: Place = {
  owned: { 'ingot.installation': 'test' },
  limits: { cpuCores: 2, memoryBytes: 2 ** 31, processes: 512, diskBytes: null, canSetOpenFiles: true },
  cards: { kind: 'none' },
  network: 'ingot-test-net',
  volume: null,
  tools: 'ingot-test-tools',
  image: {
    id: 'sha256:1234',
    env: ['PATH=/usr/bin', 'LD_PRELOAD=/lib/fast.so', 'NVIDIA_VISIBLE_DEVICES=all'],
  },
}

const plain: MachineSpec = {
  instanceId: '01980000-0000-7000-8000-000000000001',
  tenant: 'tenant',
  name: 'My machine',
  gpuType: 'A40',
  gpuCount: 1,
  gpuMemoryGb: 48,
  cpuCores: 2,
  memoryGb: 2,
  storageGb: 2,
  region: 'US-East',
  host: null,
  cards: [],
  image: 'ubuntu',
  command: null,
  env: {},
  volume: null,
}

/** A word that nothing of ours contains, in all kinds of surroundings. */
const mark = 'Zq9'
const text = fc
  .tuple(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('', ':/', '/var/run/docker.sock', '--privileged', '=', ','),
  )
  .map(([random, known]) => `${random}${mark}${known}`)
const customers = fc.record({
  name: text,
  image: text,
  command: fc.option(fc.array(text, { minLength: 1, maxLength: 4 }), { nil: null }),
  env: fc.dictionary(text, text, { maxKeys: 4 }),
  gpuType: text,
  region: text,
  tenant: text,
})

const allowed = [
  [
    'Image',
    'Hostname',
    'Entrypoint',
    'Cmd',
    'Env',
    'Labels',
    'OpenStdin',
    'StdinOnce',
    'AttachStdin',
    'AttachStdout',
  ],
  ['AttachStderr', 'Tty', 'StopSignal', 'Healthcheck', 'HostConfig'],
].flat()
const allowedOfHost = [
  [
    'NanoCpus',
    'Memory',
    'MemorySwap',
    'PidsLimit',
    'ShmSize',
    'NetworkMode',
    'IpcMode',
    'Privileged',
    'AutoRemove',
  ],
  [
    'ReadonlyRootfs',
    'Init',
    'RestartPolicy',
    'SecurityOpt',
    'CapDrop',
    'LogConfig',
    'Ulimits',
    'DeviceRequests',
    'Mounts',
  ],
].flat()

describe('a container is made from a list of what is allowed', () => {
  it('no word of a customer’s is anywhere but in the host name', () => {
    fc.assert(
      fc.property(customers, words => {
        const made = containerOf({ ...plain, ...words }, place)
        expect(Object.keys(made).filter(key => !allowed.includes(key))).toEqual([])
        expect(Object.keys(made.HostConfig!).filter(key => !allowedOfHost.includes(key))).toEqual([])
        const { Hostname, ...rest } = made
        expect(JSON.stringify(rest)).not.toContain(mark)
        expect(Hostname).toMatch(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/)
        expect(rest).toEqual((({ Hostname: _, ...same }) => same)(containerOf(plain, place)))
      }),
      { numRuns: 2_000 },
    )
  })

  it('nothing of the host is given away, and nothing is left to the engine’s defaults that matters', () => {
    const { HostConfig: made } = containerOf(plain, place)
    expect(made).toMatchObject({
      Privileged: false,
      NanoCpus: 2e9,
      Memory: 2 ** 31,
      MemorySwap: 2 ** 31,
      PidsLimit: 512,
      Init: true,
      RestartPolicy: { Name: 'no' },
      SecurityOpt: ['no-new-privileges'],
      DeviceRequests: [],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '8m' } },
      Mounts: [
        { Type: 'volume', Source: 'ingot-test-tools', ReadOnly: true },
        { Type: 'tmpfs', Source: '' },
      ],
    })
    expect(made).not.toHaveProperty('Binds')
    expect(made).not.toHaveProperty('Devices')
    expect(made).not.toHaveProperty('CapAdd')
  })

  it('without a card it sees none, whatever image and customer ask for', () => {
    const made = containerOf({ ...plain, env: { NVIDIA_VISIBLE_DEVICES: 'all' } }, place)
    expect(made.Env!.at(-1)).toBe('NVIDIA_VISIBLE_DEVICES=void')
    expect(
      made.Env!.filter(
        each => each.startsWith('NVIDIA_VISIBLE_DEVICES=') && each !== 'NVIDIA_VISIBLE_DEVICES=',
      ),
    ).toEqual(['NVIDIA_VISIBLE_DEVICES=void'])
  })

  it.each<[string, Cards, object]>([
    [
      'cards and parts of cards go by UUID',
      { kind: 'nvidia', uuids: ['GPU-1', 'MIG-2'] },
      { Driver: 'nvidia', DeviceIDs: ['GPU-1', 'MIG-2'], Capabilities: [['gpu', 'compute', 'utility']] },
    ],
    [
      'or by their names in the Container Device Interface',
      { kind: 'cdi', names: ['nvidia.com/gpu=GPU-1'] },
      { Driver: 'cdi', DeviceIDs: ['nvidia.com/gpu=GPU-1'] },
    ],
  ])('%s', (_, cards, request) => {
    const made = containerOf(plain, { ...place, cards })
    expect(made.HostConfig!.DeviceRequests).toEqual([request])
    expect(made.Env).not.toContain('NVIDIA_VISIBLE_DEVICES=void')
  })

  it('what an image says of the loader reaches nothing that runs before the main program', () => {
    expect(containerOf(plain, place).Env).toContain('LD_PRELOAD=')
  })

  it('a disk has a size where the engine holds it to that', () => {
    const made = containerOf(plain, { ...place, limits: { ...place.limits, diskBytes: 5e9 } })
    expect(made.HostConfig!.StorageOpt).toEqual({ size: '5000000000' })
  })

  it('a volume is a view of ours at a path of its name, and nothing else of it is in there', () => {
    const view = { source: 'ingot-test-view-v', options: { type: 'none', device: '/d', o: 'bind' } }
    const made = containerOf(plain, { ...place, volume: { ref: 'v', name: 'data', view } })
    expect(made.Labels).toMatchObject({ 'ingot.volume': 'v' })
    expect(made.HostConfig!.Mounts!.slice(2)).toEqual([
      {
        Type: 'volume',
        Source: 'ingot-test-view-v',
        Target: '/volumes/data',
        ReadOnly: false,
        VolumeOptions: {
          NoCopy: true,
          Labels: { ...place.owned, 'ingot.part': 'view', 'ingot.volume': 'v' },
          DriverConfig: { Name: 'local', Options: view.options },
        },
      },
    ])
    // Without one it says so: an image may be labelled with somebody else's.
    expect(containerOf(plain, place).Labels).toMatchObject({ 'ingot.volume': '' })
    expect(containerOf(plain, place).HostConfig!.Mounts).toHaveLength(2)
  })

  it('what could not be told apart is refused in words', () => {
    expect(refusedSpec(plain)).toBeNull()
    expect(refusedSpec({ ...plain, command: ['a', 'b=c'], env: { A: '=' } })).toBeNull()
    const refused: Partial<MachineSpec>[] = [
      { command: ['a=b'] },
      { command: [''] },
      { command: [] },
      { env: { 'A=B': '' } },
      { env: { '': '' } },
    ]
    for (const spec of refused) expect(refusedSpec({ ...plain, ...spec })).toMatch(/\.$/)
    expect(refusedSpec({ ...plain, command: ['a', '\0'] })).toMatch(/NUL/)
  })
})

/**
 * No card was at hand: the lists are those that NVIDIA's documentation prints (its guide to MIG, and that of its cluster
 * health scanner), and the answers to the query are written in the form that `nvidia-smi --help-query-gpu` describes.
 */
import { describe, expect, test } from 'vitest'
import { askNvidia, readCards, readStats } from './nvidia.ts'

const gibibyte = 2 ** 30
const mebibyte = 2 ** 20

const oneCard = 'GPU-c08d91cb-e324-655c-71ba-7570956445bc, NVIDIA GeForce RTX 4090, 24564, [N/A]\n'
const four = [0, 1, 2, 3].map(n => `GPU-5a8b0000-0000-0000-0000-00000000000${n}, NVIDIA A40, 46068, [N/A]\n`)
const eightUuids = [
  'GPU-f75045e8-4d87-49d1-2eb9-39ec2baddf9b',
  'GPU-b91556d8-5215-d0ed-50b8-a88720e5b29c',
  'GPU-7600155a-0036-35f5-9489-a7b4ed0ce887',
  'GPU-a402e125-7841-033f-f08b-7921526c121f',
  'GPU-20eef8f8-b2c7-1716-5ce7-7f64475bd2c0',
  'GPU-65463286-e587-b52f-4d5b-8880eecbf0e7',
  'GPU-26e81ae2-11fd-9d7e-95b6-c186e5173007',
  'GPU-df52c109-0ac1-30cc-226b-85b1a8a6bc16',
]
const eightList = eightUuids.map((uuid, n) => `GPU ${n}: NVIDIA H100 80GB HBM3 (UUID: ${uuid})\n`).join('')
const eight = eightUuids.map(uuid => `${uuid}, NVIDIA H100 80GB HBM3, 81559, Disabled\n`).join('')

const migList = `GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-c08d91cb-e324-655c-71ba-7570956445bc)
  MIG 1c.3g.40gb  Device  0: (UUID: MIG-c788539f-c1ea-5a36-8b4d-9b07d024b1bb)
  MIG 1g.10gb     Device  3: (UUID: MIG-b4b2228d-6933-5839-bc0e-41ab9edb61c6)
  MIG 1g.10gb+me  Device  4: (UUID: MIG-c71dc464-b9f9-5611-9d29-d601a47cffd6)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-f75045e8-4d87-49d1-2eb9-39ec2baddf9b)
GPU 2: A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)
  MIG 3g.20gb Device 0: (UUID: MIG-GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77/1/0)
GPU 3: NVIDIA A100-SXM4-40GB (UUID: GPU-0aa11ebd-627f-af3f-1a0d-4e1fd92fd7b0)
`
const migQuery = `GPU-c08d91cb-e324-655c-71ba-7570956445bc, NVIDIA H100 80GB HBM3, 81559, Enabled
GPU-f75045e8-4d87-49d1-2eb9-39ec2baddf9b, NVIDIA H100 80GB HBM3, 81559, Disabled
GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77, A100-SXM4-40GB, 40960, Enabled
GPU-0aa11ebd-627f-af3f-1a0d-4e1fd92fd7b0, NVIDIA A100-SXM4-40GB, 40960, Enabled
`

describe('the cards of a host', () => {
  test('with one', () => {
    expect(readCards(oneCard, '')).toEqual([
      {
        uuid: 'GPU-c08d91cb-e324-655c-71ba-7570956445bc',
        model: 'NVIDIA GeForce RTX 4090',
        memoryBytes: 24_564 * mebibyte,
      },
    ])
  })

  test('with four, and with eight', () => {
    expect(readCards(four.join(''), '').map(({ model }) => model)).toEqual(Array(4).fill('NVIDIA A40'))
    const cards = readCards(eight, eightList)
    expect(cards.map(({ uuid }) => uuid)).toEqual(eightUuids)
    expect(new Set(cards.map(({ memoryBytes }) => memoryBytes))).toEqual(new Set([81_559 * mebibyte]))
  })

  test('with MIG are the slices of those that are cut up, and the others whole', () => {
    expect(readCards(migQuery, migList)).toEqual([
      {
        uuid: 'MIG-c788539f-c1ea-5a36-8b4d-9b07d024b1bb',
        model: 'NVIDIA H100 80GB HBM3 MIG 1c.3g.40gb',
        memoryBytes: 40 * gibibyte,
      },
      {
        uuid: 'MIG-b4b2228d-6933-5839-bc0e-41ab9edb61c6',
        model: 'NVIDIA H100 80GB HBM3 MIG 1g.10gb',
        memoryBytes: 10 * gibibyte,
      },
      {
        uuid: 'MIG-c71dc464-b9f9-5611-9d29-d601a47cffd6',
        model: 'NVIDIA H100 80GB HBM3 MIG 1g.10gb+me',
        memoryBytes: 10 * gibibyte,
      },
      {
        uuid: 'GPU-f75045e8-4d87-49d1-2eb9-39ec2baddf9b',
        model: 'NVIDIA H100 80GB HBM3',
        memoryBytes: 81_559 * mebibyte,
      },
      {
        uuid: 'MIG-GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77/1/0',
        model: 'A100-SXM4-40GB MIG 3g.20gb',
        memoryBytes: 20 * gibibyte,
      },
    ])
  })

  test.each([
    ['nothing', ''],
    ['no card', 'No devices were found\n'],
    ['no driver', 'NVIDIA-SMI has failed because it couldn’t communicate with the NVIDIA driver.\n'],
    [
      'a card that fell off the bus',
      'Unable to determine the device handle for GPU0000:0A:00.0: Unknown Error\n',
    ],
    [
      'a card that is lost',
      'GPU-c08d91cb-e324-655c-71ba-7570956445bc, [GPU is lost], [GPU is lost], [N/A]\n',
    ],
    ['memory that is the host’s', 'GPU-c08d91cb-e324-655c-71ba-7570956445bc, NVIDIA GB10, [N/A], [N/A]\n'],
    ['an index in place of a UUID', '0, NVIDIA A40, 46068, [N/A]\n'],
    ['a UUID that would be an option', '--id=0, NVIDIA A40, 46068, [N/A]\n'],
  ])('that tells of %s are none', (_, query) => expect(readCards(query, '')).toEqual([]))
})

test('what cards do', () => {
  const output = `${eightUuids[0]}, 37, 1024, 81559, 41, 69.25\n${eightUuids[1]}, 0, 0, 81559, 30, [N/A]\n`
  expect(readStats(output)).toEqual([
    {
      uuid: eightUuids[0],
      load: 0.37,
      memoryUsedBytes: 1024 * mebibyte,
      memoryBytes: 81_559 * mebibyte,
      celsius: 41,
      watts: 69.25,
    },
  ])
})

test('a program that is not there or fails tells nothing', async () => {
  expect(await askNvidia('/nowhere/nvidia-smi', [])).toBeNull()
  expect(await askNvidia('false', [])).toBeNull()
  expect(await askNvidia('echo', ['a card'])).toBe('a card\n')
})

/** No card was at hand: what an engine tells of its runtimes is as Docker's and NVIDIA's documentation has it. */
import { describe, expect, test } from 'vitest'
import { requestOf, wayOf } from './cards.ts'

describe('an engine gives cards', () => {
  test.each([
    [
      'by NVIDIA’s runtime',
      { Runtimes: { runc: {}, nvidia: { path: 'nvidia-container-runtime' } } },
      'nvidia',
    ],
    [
      'by the Container Device Interface',
      { Runtimes: { runc: {} }, DiscoveredDevices: [{ Source: 'cdi', ID: 'nvidia.com/gpu=all' }] },
      'cdi',
    ],
    [
      'by neither',
      { Runtimes: { runc: {} }, DiscoveredDevices: [{ Source: 'cdi', ID: 'amd.com/gpu=0' }] },
      null,
    ],
    ['by neither, and is old', { Runtimes: null }, null],
  ])('%s', (_, info, way) => expect(wayOf(info)).toBe(way))

  test('by their UUIDs alone', () => {
    const uuids = ['GPU-c08d91cb-e324-655c-71ba-7570956445bc', 'MIG-b4b2228d-6933-5839-bc0e-41ab9edb61c6']
    expect(requestOf('nvidia', uuids)).toEqual({ kind: 'nvidia', uuids })
    expect(requestOf('cdi', uuids)).toEqual({
      kind: 'cdi',
      names: uuids.map(uuid => `nvidia.com/gpu=${uuid}`),
    })
    expect(requestOf('nvidia', [])).toEqual({ kind: 'none' })
  })
})

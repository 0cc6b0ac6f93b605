/**
 * Cards of the host, with files in the place of a driver's nodes and of what the kernel tells: no card was at hand. So
 * this holds which nodes a machine sees, and nothing of what a card does in one.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type CardPlaces, openCards } from './cards.ts'
import { createSandboxDriver } from './driver.ts'
import { designsHere, expectNothingLeft, openShell, specOf, testDir, value } from './testing/sandbox.ts'

const uuid = (n: number) => `GPU-5a8b0000-0000-0000-0000-00000000000${n}`

/** Four cards, of which the kernel's numbers are not in the order of the driver's. The third is cut up. */
function standIns(): CardPlaces {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-cards-'))
  chmodSync(dir, 0o755)
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const [dev, proc, nvidiaSmi] = [join(dir, 'dev'), join(dir, 'proc'), join(dir, 'nvidia-smi')]
  mkdirSync(dev)
  for (const name of ['nvidiactl', 'nvidia-uvm', 'nvidia-uvm-tools', 'nvidia-modeset', 'nvidia-caps'])
    writeFileSync(join(dev, name), name)
  for (const n of [0, 1, 2, 3]) {
    const minor = 3 - n
    writeFileSync(join(dev, `nvidia${minor}`), `card ${n}`)
    const bus = join(proc, `gpus/0000:0${n + 1}:00.0`)
    mkdirSync(bus, { recursive: true })
    writeFileSync(
      join(bus, 'information'),
      `Model: \t\t NVIDIA A40\nIRQ:   \t\t 158\nGPU UUID: \t ${uuid(n)}\nVideo BIOS: \t 94.02.5c.00.03\n` +
        `Bus Type: \t PCIe\nDMA Size: \t 47 bits\nDMA Mask: \t 0x7fffffffffff\n` +
        `Bus Location: \t 0000:0${n + 1}:00.0\nDevice Minor: \t ${minor}\nGPU Excluded:\t No\n`,
    )
  }
  const query = [0, 1, 2, 3].map(n => `${uuid(n)}, NVIDIA A40, 46068, ${n === 2 ? 'Enabled' : 'Disabled'}`)
  const list = [
    `GPU 2: NVIDIA A40 (UUID: ${uuid(2)})`,
    `  MIG 1g.5gb Device 0: (UUID: MIG-${uuid(2).slice(4)})`,
  ]
  writeFileSync(
    nvidiaSmi,
    `#!/bin/sh
case "$*" in
  -L) printf '%s\\n' ${list.map(line => `'${line}'`).join(' ')} ;;
  --id=*) id=\${1#--id=}; echo "$id, 37, 1024, 46068, 41, 69.25" ;;
  *) printf '%s\\n' ${query.map(line => `'${line}'`).join(' ')} ;;
esac
`,
    { mode: 0o755 },
  )
  return { dev, proc, nvidiaSmi }
}

describe('a host’s cards', () => {
  it('are those that are whole and whose nodes the kernel tells', async () => {
    const places = standIns()
    const cards = openCards(places)
    expect((await cards.list())?.map(card => card.uuid)).toEqual([uuid(0), uuid(1), uuid(3)])
    rmSync(join(places.dev, 'nvidia2'))
    expect((await cards.list())?.map(card => card.uuid)).toEqual([uuid(0), uuid(3)])
    expect(await cards.probe()).toMatchObject({ ok: true, detail: '2 × NVIDIA A40' })
    writeFileSync(places.nvidiaSmi, '#!/bin/sh\nexit 9\n')
    expect(await cards.list()).toBeNull()
    expect(await cards.probe()).toMatchObject({
      ok: false,
      detail: expect.stringContaining('does not answer'),
    })
  })

  it('are named by UUID: a card’s node is the kernel’s number and not its index', () => {
    const cards = openCards(standIns())
    expect(cards.devicesOf([uuid(1), uuid(0)])?.map(({ path }) => path)).toEqual([
      '/dev/nvidiactl',
      '/dev/nvidia-uvm',
      '/dev/nvidia-uvm-tools',
      '/dev/nvidia2',
      '/dev/nvidia3',
    ])
    expect(cards.devicesOf([uuid(1), uuid(9)])).toBeNull()
    expect(cards.devicesOf([])).toEqual([])
  })

  it('are none where CUDA’s node is missing, and what to do about it is said', async () => {
    const places = standIns()
    rmSync(join(places.dev, 'nvidia-uvm'))
    const cards = openCards(places)
    expect(await cards.list()).toBeNull()
    expect(cards.devicesOf([uuid(0)])).toBeNull()
    expect((await cards.probe()).detail).toContain('nvidia-modprobe -u -c=0')
  })
})

for (const design of designsHere)
  it(`a machine by ${design} sees its own cards’ nodes and no others`, { timeout: 30_000 }, async () => {
    const places = standIns()
    const dir = testDir()
    const driver = await createSandboxDriver({ dir, design, maxMachines: 4, cards: places })
    expect(driver.capabilities).toMatchObject({ hardware: 'real', measures: { cards: true } })
    expect(await value(() => driver.inventory())).toMatchObject([
      { cards: [0, 1, 3].map(n => ({ uuid: uuid(n), model: 'NVIDIA A40', memoryBytes: 46_068 * 2 ** 20 })) },
    ])
    const start = async (id: string, cards: readonly string[]) => {
      const ref = await value(() => driver.create(specOf(id, { gpuCount: cards.length, cards }), id))
      await value(() => driver.start(ref))
      return openShell(driver, ref)
    }
    const [one, two, none] = [
      await start('one', [uuid(1)]),
      await start('two', [uuid(3), uuid(0)]),
      await start('none', []),
    ]
    const nodes = 'ls -d /dev/nvidia* 2>/dev/null | xargs'
    expect((await one.run(nodes)).output).toBe(
      '/dev/nvidia-uvm /dev/nvidia-uvm-tools /dev/nvidia2 /dev/nvidiactl',
    )
    expect((await one.run('cat /dev/nvidia2; echo')).output).toBe('card 1')
    expect((await two.run(nodes)).output).toBe(
      '/dev/nvidia-uvm /dev/nvidia-uvm-tools /dev/nvidia0 /dev/nvidia3 /dev/nvidiactl',
    )
    expect((await two.run('cat /dev/nvidia0 /dev/nvidia3; echo')).output).toBe('card 3card 0')
    expect((await none.run(nodes)).output).toBe('')
    // The simulated one stands in nobody's way.
    expect((await one.run('command -v nvidia-smi | grep ingot')).output).toBe('')
    expect((await value(() => driver.stats('one'))).cards).toMatchObject([{ uuid: uuid(1), load: 0.37 }])
    expect((await value(() => driver.stats('none'))).cards).toEqual([])
    // A real card is never replaced by a simulated one, nor a lost one by another.
    await value(() => driver.create(specOf('bare', { gpuCount: 1 }), 'bare'))
    expect(await driver.start('bare')).toMatchObject({ kind: 'failed', failure: 'transient' })
    await value(() => driver.create(specOf('lost', { cards: [uuid(9)] }), 'lost'))
    expect(await driver.start('lost')).toMatchObject({ kind: 'failed', failure: 'transient' })
    for (const { ref } of await value(() => driver.list())) await value(() => driver.destroy(ref))
    expectNothingLeft(dir)
  })

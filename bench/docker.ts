/**
 * From the deploy request to a usable prompt on a container engine, against `docker run -it` by hand on the same one; and
 * what its terminals carry.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { noEngineReason, startEngine, testImage } from '@ingot/compute/docker/testing/engine'
import pg from 'pg'
import { embeddedUrl, signIn, startProduct } from '../apps/server/src/product/test-process.ts'
import { watchRunning } from './deploy.ts'
import { a40 } from './product.ts'
import { median, type Result } from './report.ts'
import { openInstanceShell } from './shell.ts'
import { echoTimes, makeText, throughput } from './terminal.ts'

const rounds = 15
const speedRounds = 5
/** What is taken away of the last one is no part of the next one's time. */
const pauseMs = 500
const elsewhere = ['US-West', 'EU-West', 'Asia-Pacific', 'Middle-East'].map(region => `,${region}=simulated`)

export async function benchDocker(): Promise<Result[]> {
  const reason = await noEngineReason()
  if (reason) {
    console.error(`docker is not measured: ${reason}`)
    return []
  }
  const engine = await startEngine()
  const dir = await mkdtemp(join(tmpdir(), 'ingot-bench-docker-'))
  await chmod(dir, 0o711)
  const product = await startProduct({
    dir,
    env: {
      INGOT_DRIVERS: `docker=${engine.address}`,
      INGOT_REGIONS: `US-East=docker${elsewhere.join('')}`,
    },
  })
  const ending = new AbortController()
  try {
    const client = await signIn(product.url, product.admin!)
    const { walletAddress } = await client.wallet.usdtConfig()
    await client.dev.faucet({ address: walletAddress, amount_usdt: '1000' })
    while (Number((await client.wallet.get()).balance_usd) === 0) await sleep(50)
    const database = new pg.Client({ connectionString: embeddedUrl(dir) })
    await database.connect()
    await database.query('update gpu_templates set docker_image = $1 where id = $2', [
      testImage,
      a40.template_id,
    ])
    await database.end()
    docker('network', 'create', 'by-hand')
    const running = watchRunning(client, ending.signal)
    const deployed = async () => {
      const began = performance.now()
      const { id } = await client.instances.create({ ...a40, name: 'bench' })
      await running(id)
      const shell = await openInstanceShell(client, product.url, id, 'bench')
      await shell.waitFor('#')
      const ms = performance.now() - began
      shell.close()
      await client.instances.delete({ id })
      while ((await client.instances.list()).items.length) await sleep(20)
      return ms
    }
    const ours: number[] = []
    const plain: number[] = []
    const apart: number[] = []
    await deployed()
    for (let n = 0; n < rounds; n++) {
      for (const [times, measure] of [
        [ours, deployed],
        [plain, () => byHand('bridge')],
        [apart, () => byHand('by-hand')],
      ] as const) {
        times.push(await measure())
        await sleep(pauseMs)
      }
    }
    const { id } = await client.instances.create({ ...a40, name: 'bench' })
    await running(id)
    const shell = await openInstanceShell(client, product.url, id, 'bench')
    await makeText(shell)
    // The first warms it up.
    await throughput(shell)
    const speed: number[] = []
    for (let n = 0; n < speedRounds; n++) speed.push(await throughput(shell))
    const { ours: echo } = await echoTimes({ ours: shell })
    shell.close()
    const [our, hand, handApart] = [median(ours), median(plain), median(apart)]
    return [
      {
        what: 'deploy request → prompt, docker ÷ `docker run -it`',
        figure: `${our.toFixed(0)} ms`,
        floor: `${hand.toFixed(0)} ms by hand, ${handApart.toFixed(0)} ms on a network of its own (${(our / handApart).toFixed(2)})`,
        value: our / hand,
        unit: 'ratio',
        wanted: { atMost: 1.25 },
      },
      {
        what: 'terminal, docker: cat 100 MB',
        figure: `${median(speed).toFixed(0)} MB/s`,
        floor: '',
        value: median(speed),
        unit: 'MB/s',
        wanted: { atLeast: 45 },
      },
      {
        what: 'terminal, docker: echo of a key',
        figure: `${median(echo).toFixed(2)} ms`,
        floor: '',
        value: median(echo),
        unit: 'ms',
        wanted: { atMost: 1 },
        note: `median of ${echo.length} keys`,
      },
    ]
  } finally {
    ending.abort()
    await product.stop()
    await engine.discard()
    await rm(dir, { recursive: true, force: true })
  }

  function docker(...args: string[]): void {
    execFileSync('docker', ['--host', engine.address, ...args], { stdio: 'ignore' })
  }

  /** To the first prompt. */
  function byHand(network: string): Promise<number> {
    const run = `docker --host ${engine.address} run --rm -it --init --network ${network} ${testImage} bash`
    const began = performance.now()
    const terminal = spawn('script', ['-qec', run, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
    return new Promise((resolve, reject) => {
      let text = ''
      let ms: number | null = null
      terminal.stdout.on('data', (data: Buffer) => {
        text += data.toString()
        if (ms !== null || !text.includes('#')) return
        ms = performance.now() - began
        terminal.stdin.end('exit\n')
      })
      terminal.once('error', reject)
      terminal.once('exit', () => (ms === null ? reject(new Error(text)) : resolve(ms)))
    })
  }
}

/**
 * The floor of a way in by SSH: a bare ssh2 server that one key opens, and a machine's shell behind it by the driver's
 * own `exec`. Arguments: a folder for the driver, and that key as a file, which is the host's too.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createSandboxDriver } from '@ingot/compute/sandbox/driver'
import ssh2 from 'ssh2'
import { startMachine } from '../machine.ts'

const [dir, keyFile] = process.argv.slice(2)
const driver = await createSandboxDriver({ dir: dir!, maxMachines: 1 })
const ref = await startMachine(driver, '01990003-0000-7000-8000-000000000001')
const key = readFileSync(keyFile!)
const right = ssh2.utils.parseKey(key) as ssh2.ParsedKey
const protocol = new ssh2.Server({ hostKeys: [key] })
protocol.on('connection', client => {
  client.on('authentication', context => {
    if (context.method !== 'publickey' || !context.key.data.equals(right.getPublicSSH()))
      return context.reject(['publickey'])
    const { signature, blob, hashAlgo } = context
    if (!signature || right.verify(blob!, signature, hashAlgo) === true) context.accept()
    else context.reject(['publickey'])
  })
  client.on('error', () => {})
  client.on('session', accept => {
    const session = accept()
    session.on('pty', take => take?.())
    session.on('shell', async take => {
      const channel = take()
      const size = { cols: 80, rows: 24 }
      const command = ['sh', '-c', 'exec bash -l']
      const started = await driver.exec(ref, { command, env: { TERM: 'xterm' }, size })
      if (started.kind !== 'done') throw new Error('no shell was started')
      channel.pipe(started.value.stdin)
      started.value.stdout.pipe(channel)
      channel.on('close', () => started.value.close())
    })
  })
})
const server = createServer({ noDelay: true }, socket => protocol.injectSocket(socket))
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
process.on('message', async () => {
  while ((await driver.destroy(ref)).kind === 'not_yet') await new Promise(resolve => setTimeout(resolve, 50))
  await driver.close()
  process.exit()
})

/**
 * `npm run dev`: the server restarts and the web reloads when their source changes. The web listens on PORT and passes
 * API calls on to the server at PORT + 1. One region is simulated and the others are sandboxes, so both are at hand.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { assertNode, environment, install, pinnedNode, root } from './environment.mjs'

assertNode()
process.chdir(root)
await install()

const port = Number(process.env.PORT ?? 8080)
const apiPort = port + 1
const api = `http://localhost:${apiPort}`
const env = {
  INGOT_REGIONS: 'Middle-East=simulated',
  INGOT_DATA_DIR: '.ingot-dev',
  ...environment(),
  INGOT_PUBLIC_URL: `http://localhost:${port}`,
  INGOT_PORT: String(apiPort),
}

const children = [
  spawn(pinnedNode(), ['--watch', '--watch-preserve-output', 'apps/server/src/product/main.ts'], {
    env: { ...env, PORT: String(apiPort) },
    stdio: 'inherit',
  }),
  spawn(
    pinnedNode(),
    [
      join(root, 'node_modules/vite/bin/vite.js'),
      '--port',
      String(port),
      '--strictPort',
      '--clearScreen',
      'false',
    ],
    {
      cwd: join(root, 'apps/web'),
      env,
      stdio: 'inherit',
    },
  ),
]
let stopping = false
function stop(code) {
  if (stopping) return
  stopping = true
  for (const child of children) child.kill('SIGINT')
  process.exitCode = code
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(0))
for (const child of children) child.once('exit', code => stop(code ?? 1))

const answers = () =>
  fetch(`${api}/health`).then(
    response => response.ok,
    () => false,
  )
while (!stopping && !(await answers())) await new Promise(resolve => setTimeout(resolve, 300))
if (!stopping) spawn(pinnedNode(), ['tools/seed.ts', api], { env, stdio: 'inherit' })

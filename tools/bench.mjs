/** `npm run bench`: speed as ratios to floors measured in the same run. `npm run bench -- list debit` runs some parts. */
import { assertNode, buildWeb, environment, install, pinnedNode, root, run } from './environment.mjs'

assertNode()
process.chdir(root)
await install()
await buildWeb()
process.exit(await run(pinnedNode(), ['bench/run.ts', ...process.argv.slice(2)], { env: environment() }))

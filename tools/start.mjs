/** `npm start`: installs what is missing, builds the web if it is stale, then starts the product. */
import { assertNode, buildWeb, environment, install, root, serve } from './environment.mjs'

assertNode()
process.chdir(root)
await install()
await buildWeb()
serve(['apps/server/src/product/main.ts'], environment())

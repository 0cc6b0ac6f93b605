/**
 * The order of the house: who may import whom. `tools/arrows.ts` holds every import against it. Tests are exempt: a test
 * may stand on the whole product.
 */

/** A place, by the start of its path, and the places that it may import beside itself. The longest match counts. */
export const places: Readonly<Record<string, readonly string[]>> = {
  'packages/contracts/src/': [],
  'packages/compute/src/': ['packages/contracts/src/'],
  'packages/tron/src/': [],
  'packages/sdk/src/': ['packages/contracts/src/'],
  'apps/server/src/': ['packages/contracts/src/', 'packages/compute/src/', 'packages/tron/src/'],
  'apps/web/src/ui/': [],
  // The public page runs the same simulated shell as the server's simulated driver.
  'apps/web/src/site/': ['apps/web/src/ui/', 'packages/contracts/src/', 'packages/compute/src/simulated/'],
  'apps/web/src/console/': ['apps/web/src/ui/', 'packages/contracts/src/', 'packages/sdk/src/'],
  'apps/web/': ['apps/web/src/site/', 'apps/web/src/ui/', 'packages/contracts/src/'],
  'e2e/': [
    'packages/contracts/src/',
    'packages/sdk/src/',
    'packages/compute/src/docker/',
    'apps/web/src/console/frame/pages.ts',
    'apps/web/src/console/admin/pages.ts',
    'apps/server/src/product/testing/',
  ],
  'bench/': [
    'packages/contracts/src/',
    'packages/sdk/src/',
    'packages/compute/src/',
    'packages/tron/src/',
    'apps/server/src/',
  ],
  'tools/': ['packages/contracts/src/', 'packages/sdk/src/'],
}

/** The nouns, from the ground up, in one order on both sides of the wire. */
const nouns = [
  ['auth'],
  ['wallet', 'catalog'],
  ['withdrawals', 'payments'],
  ['templates', 'budgets'],
  // Of whatever has a disk.
  ['files'],
  ['volumes', 'ssh'],
  ['instances'],
  ['billing', 'activity', 'support', 'machines'],
  ['accounts'],
  ['people'],
  ['site', 'admin', 'dev'],
] as const

/**
 * The rooms of a place, from the ground up. A room may import rooms of lines above its own in this list, never of lines
 * below, and rooms on one line do not import each other.
 */
export const floors: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'apps/server/src/': [
    // The variables of the environment, as data.
    ['config'],
    ['config.ts', 'vault.ts'],
    ['db'],
    ['http', 'worker'],
    ['ledger'],
    ...nouns,
    // What stands on all rooms: the app, its services, the worker, the process.
    ['product'],
  ],
  'apps/web/src/console/': [
    // Who is signed in; then what every screen uses; then what every list is made of.
    ['session'],
    ['shell'],
    ['list'],
    ...nouns,
    ['dashboard', 'kit'],
    // What stands around all screens, and the list of them.
    ['frame'],
    ['routes.tsx'],
    ['router.ts'],
    ['main.tsx'],
  ],
}

/** A folder with more files than this, tests aside, is more than one room. The primitives are a shelf, not a room. */
export const mostFilesInRoom = 30
export const shelves: readonly string[] = ['apps/web/src/ui']

/** Of a file that somebody writes by hand, tests included. */
export const mostLines = 400
/** Written by a program or taken over whole. */
export const notByHand =
  /^(package-lock\.json|LICENSE|apps\/server\/functions\.sql|.*\/testing\/data-\d+\.sql|.*\/common-passwords\.txt)$/

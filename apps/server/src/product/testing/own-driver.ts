/** The driver that tests of the whole product name, whatever engine or card this machine has: the sandbox where it can be. */
import { spawnSync } from 'node:child_process'

const { status } = spawnSync('unshare', ['--user', '--map-root-user', '--net', '--pid', '--fork', 'true'])

export const ownDriver = status === 0 ? 'sandbox' : 'simulated'

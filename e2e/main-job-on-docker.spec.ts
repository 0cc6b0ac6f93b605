/** The main job again, with containers on a real engine for machines. */
import { noEngineReason } from '@ingot/compute/docker/testing/engine'
import { mainJob } from './main-job.ts'
import { test } from './product.ts'

const isLong = process.env['INGOT_LONG_TESTS'] === '1'
const reason = isLong ? await noEngineReason() : 'in npm run test:long'

test.use({ onEngine: true })
test.skip(reason !== null, reason ?? '')
test('sign up, fund, rent, type, pay, on a container engine', mainJob)

import { mainJob } from './main-job.ts'
import { test } from './product.ts'

test('sign up, fund, rent, type, pay', mainJob)

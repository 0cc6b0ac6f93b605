import { mainJob } from './main-job.ts'
import { test } from './product.ts'

test('sign up, pay, rent, type, pay', mainJob)

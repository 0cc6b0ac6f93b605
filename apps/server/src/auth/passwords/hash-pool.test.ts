import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { runHash } from './hash-pool.ts'

test('each job of a long queue gets its own answer, and one that fails fails alone', async () => {
  const quick = { memoryCost: 64, timeCost: 1, parallelism: 1 }
  const hashes = await Promise.all(['a', 'b', 'c'].map(password => hash(password, quick)))
  const jobs = Array.from({ length: 60 }, (_, n) => {
    const password = 'abc'[n % 3]!
    if (n % 5 === 4) return runHash({ kind: 'verify', password, hash: 'not a hash' })
    if (n % 5 === 3) return runHash({ kind: 'hash', password, options: quick })
    return runHash({ kind: 'verify', password, hash: hashes[(n + Number(n % 5 === 2)) % 3]! })
  })
  for (const [n, job] of (await Promise.allSettled(jobs)).entries()) {
    if (n % 5 === 4) expect(job).toMatchObject({ status: 'rejected', reason: expect.any(Error) as Error })
    else if (n % 5 === 3)
      expect(job).toMatchObject({ value: expect.stringMatching(/^\$argon2id\$/) as string })
    else expect(job).toMatchObject({ value: n % 5 !== 2 })
  }
})

/** The floor of signing in: nothing but verifying a password, four at a time. Sends how many a second it managed. */
import { hash, verify } from '@node-rs/argon2'

const seconds = Number(process.argv[2])
const password = 'correct horse'
const hashed = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
await verify(hashed, password)
const began = performance.now()
let count = 0
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (; performance.now() - began < seconds * 1000; count++) await verify(hashed, password)
  }),
)
process.send!((count / (performance.now() - began)) * 1000)

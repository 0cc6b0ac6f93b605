import { refresh } from './tmp-auth.ts'
import autocannon from 'autocannon'
const [base, file] = process.argv.slice(2)
import { readFileSync } from 'node:fs'
const sessions = JSON.parse(readFileSync(file!, 'utf8'))
const r = refresh(base!, sessions)
await autocannon({ ...r, connections: 16, duration: 4 })
process.send!('warm')
const x = await autocannon({ ...r, connections: 16, duration: 4 })
process.send!(x.requests.average)

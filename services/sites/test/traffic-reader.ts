import { migrate, openDatabase } from '@hearth/database'
import { createLog, systemTimers } from '@hearth/runtime'
import { migrations } from '../src/database/migrations/index.ts'
import type { Tables } from '../src/tables.ts'
import { Traffic } from '../src/traffic/traffic.ts'

/** Reads a log into a database until it is killed; says on stdout how many requests it has seen. */
const [, , file = '', logFile = ''] = process.argv
const database = openDatabase<Tables>({ file })
await migrate(database.query, migrations)
let seen = 0
const traffic = new Traffic({
  db: database.query,
  timers: systemTimers,
  log: createLog({ name: 'test', level: 'silent' }),
  siteOf: () => 1,
  onRequest() {
    seen += 1
    if (seen % 50 === 0) process.stdout.write(`${seen}\n`)
  },
  pollMs: 5,
  flushMs: 3,
})
await traffic.start(logFile)
// Waiting keeps no process alive.
setInterval(() => undefined, 1000)

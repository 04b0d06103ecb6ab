import { ResolverSupervisor } from '../src/dns/process/supervisor.ts'

// A service of the test's that has a resolver and can be killed: supervising.ts DIRECTORY. Prints the resolver's process id.
const supervisor = new ResolverSupervisor({
  directory: process.argv[2] ?? '',
  warn: (line) => process.stderr.write(`${line}\n`),
})
await supervisor.ready()
process.stdout.write(`${supervisor.pid}\n`)

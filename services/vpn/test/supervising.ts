import { ResolverSupervisor } from '../src/resolver/supervisor.ts'

// A service of the test's that has a resolver and can be killed: supervising.ts DIRECTORY. Prints the resolver's process id.
const supervisor = new ResolverSupervisor(process.argv[2] ?? '')
supervisor.attach({ warn: (line: string) => process.stderr.write(`${line}\n`) }, () => undefined)
await supervisor.ready()
process.stdout.write(`${supervisor.pid}\n`)

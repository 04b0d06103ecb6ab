// `node serve-sources.ts NAME` runs a service straight from its sources, whether it is built or not.

import { Command } from 'commander'
import type { ServiceCommands } from '../../cli/command-line.ts'
import { findServices } from '../../cli/services.ts'
import { endWithParent } from '../../cli/end-with-parent.ts'

endWithParent()
const service = findServices().find(({ name }) => name === process.argv[2])
if (service === undefined) throw new Error(`there is no service ${process.argv[2] ?? ''}`)
const program = new Command(service.name)
const commands = (await import(`${service.folder}/src/commands.ts`)) as ServiceCommands
await commands.addCommands(program, ['serve'])
await program.parseAsync(['serve'], { from: 'user' }).catch((error: unknown) => {
  process.stderr.write(`hearth: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})

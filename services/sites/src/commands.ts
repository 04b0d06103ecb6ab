import type { DoctorFact } from '@hearth/runtime'
import type { Command } from 'commander'
import { addAccountCommands } from './command-line/accounts.ts'
import { addBackupCommands } from './command-line/backup.ts'
import { addImportCommands } from './command-line/import.ts'

/** Adds what `hearth sites …` can do. */
export function addCommands(program: Command): void {
  program
    .command('serve')
    .description('run the service in the foreground')
    .action(async () => {
      const { serve } = await import('./main.ts')
      await serve(process.env)
    })
  addAccountCommands(program)
  addBackupCommands(program)
  addImportCommands(program)
}

/** What `hearth doctor` should know about this host: whether there is a Caddy to manage, and whether it keeps its visitors. */
export async function doctor(): Promise<DoctorFact[]> {
  const { describeCaddy } = await import('./command-line/describe-caddy.ts')
  const { describeConnections } = await import('./command-line/describe-connections.ts')
  const connections = describeConnections()
  return [await describeCaddy(process.env), ...(connections === undefined ? [] : [connections])]
}

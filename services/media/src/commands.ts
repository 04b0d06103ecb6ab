import type { DoctorFact } from '@hearth/runtime'
import type { Command } from 'commander'
import { addAccountCommands } from './command-line/accounts.ts'
import { addBackupCommands } from './command-line/backup.ts'
import { addToolCommands } from './command-line/update-tools.ts'

/** Adds what `hearth media …` can do. */
export function addCommands(program: Command): void {
  program
    .command('serve')
    .description('run the service in the foreground')
    .action(async () => {
      const { serve } = await import('./main.ts')
      await serve(process.env)
    })
  program
    .command('worker')
    .description('work on the jobs of DATABASE_URL; any number of them, on any machine')
    .action(async () => {
      const { work } = await import('./main.ts')
      await work(process.env)
    })
  addAccountCommands(program)
  addBackupCommands(program)
  addToolCommands(program)
}

/** What `hearth doctor` should know about this host: which tools there are. */
export async function doctor(): Promise<DoctorFact[]> {
  const { describeTools } = await import('./command-line/tools.ts')
  return describeTools()
}

import type { DoctorCheck } from '@hearth/runtime'
import { addBackupCommands, addServeCommand } from '@hearth/service'
import type { Command } from 'commander'
import { addAccountCommands } from './command-line/accounts.ts'
import { addToolCommands } from './command-line/update-tools.ts'

/** Adds what `hearth media …` can do. */
export function addCommands(program: Command): void {
  addServeCommand(program, async () => (await import('./main.ts')).serve(process.env))
  program
    .command('worker')
    .description('work on the jobs of DATABASE_URL; any number of them, on any machine')
    .action(async () => {
      const { work } = await import('./main.ts')
      await work(process.env)
    })
  addAccountCommands(program)
  addBackupCommands(program, async () => (await import('./command-line/data.ts')).backupSubject)
  addToolCommands(program)
}

/** Describes the tools on this host, for `hearth doctor`. */
export async function doctor(): Promise<DoctorCheck[]> {
  const { describeTools } = await import('./command-line/tools.ts')
  return describeTools()
}

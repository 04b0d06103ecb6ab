import type { DoctorFact } from '@hearth/runtime'
import { addBackupCommands, addServeCommand } from '@hearth/service'
import type { Command } from 'commander'
import { addAccountCommands } from './command-line/accounts.ts'
import { backupSubject } from './command-line/data.ts'
import { addImportCommands } from './command-line/import.ts'

/** Adds what `hearth sites …` can do. */
export function addCommands(program: Command): void {
  addServeCommand(program, async () => (await import('./main.ts')).serve(process.env))
  addAccountCommands(program)
  addBackupCommands(program, backupSubject)
  addImportCommands(program)
}

/** What `hearth doctor` should know about this host: whether there is a Caddy to manage, and whether it keeps its visitors. */
export async function doctor(): Promise<DoctorFact[]> {
  const { describeCaddy } = await import('./command-line/describe-caddy.ts')
  const { describeConnections } = await import('./command-line/describe-connections.ts')
  const connections = describeConnections()
  return [await describeCaddy(process.env), ...(connections === undefined ? [] : [connections])]
}

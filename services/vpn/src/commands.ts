import type { Command } from 'commander'
import type { DoctorFact } from '@hearth/runtime'
import { addBackupCommands } from './command-line/backup.ts'
import { addAccountCommands } from './command-line/accounts.ts'
import { addTunnelCommands } from './command-line/tunnels.ts'

/** Adds what `hearth vpn …` can do. */
export function addCommands(program: Command): void {
  program
    .command('serve')
    .description('run the service in the foreground')
    .action(async () => {
      const { startResolverEarly } = await import('./early-resolver.ts')
      const early = await startResolverEarly(process.env['DATA_DIR'])
      const { serve } = await import('./main.ts')
      await serve(process.env, early)
    })
  addAccountCommands(program)
  addTunnelCommands(program)
  addBackupCommands(program)
}

/** What `hearth doctor` should know about this host: whether real tunnels work, and why not. */
export async function doctor(): Promise<DoctorFact[]> {
  const { describeThisHost } = await import('./command-line/tunnels.ts')
  return describeThisHost()
}

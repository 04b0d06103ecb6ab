import type { Command } from 'commander'
import type { DoctorFact } from '@hearth/runtime'

/** Adds what `hearth vpn …` can do. For `serve` nothing else is loaded: names are to be answered soon. */
export async function addCommands(program: Command, words: readonly string[] = []): Promise<void> {
  program
    .command('serve')
    .description('run the service in the foreground')
    .action(async () => {
      const { startResolverEarly } = await import('./early-resolver.ts')
      const early = await startResolverEarly(process.env)
      const { serve } = await import('./main.ts')
      await serve(process.env, early)
    })
  if (words[0] === 'serve') return
  const { addAccountCommands } = await import('./command-line/accounts.ts')
  const { addTunnelCommands } = await import('./command-line/tunnels.ts')
  const { addRotateKeyCommand } = await import('./command-line/rotate-key.ts')
  const { backupSubject } = await import('./command-line/data.ts')
  const { addBackupCommands } = await import('@hearth/service')
  addAccountCommands(program)
  addTunnelCommands(program)
  addBackupCommands(program, backupSubject)
  addRotateKeyCommand(program)
}

/** What `hearth doctor` should know about this host: whether real tunnels work, and why not. */
export async function doctor(): Promise<DoctorFact[]> {
  const { describeThisHost } = await import('./command-line/tunnels.ts')
  return describeThisHost()
}

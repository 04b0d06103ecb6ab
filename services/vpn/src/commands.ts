import type { Command } from 'commander'
import type { DoctorCheck, Environment } from '@hearth/runtime'

/** Adds the commands of `hearth vpn …`. For `serve` and `node run` nothing else is loaded. */
export async function addCommands(program: Command, args: readonly string[] = []): Promise<void> {
  program
    .command('serve')
    .description('run the service in the foreground')
    .action(async () => {
      const { prestartResolver } = await import('./prestart-resolver.ts')
      const early = await prestartResolver(process.env)
      const { serve } = await import('./main.ts')
      await serve(process.env, early)
    })
  if (args[0] === 'serve') return
  // A node has no database and no accounts, and loads what is for them as little.
  if (args[0] === 'node' && args[1] === 'run') return (await import('./command-line/nodes.ts')).addNodeCommands(program)
  const { addAccountCommands } = await import('./command-line/accounts.ts')
  const { addBackupCommands } = await import('@hearth/service')
  addAccountCommands(program)
  addTunnelCommands(program)
  if (args[0] === undefined || ['export', 'apply', 'help', '--help', '-h'].includes(args[0]))
    (await import('./command-line/as-code.ts')).addAsCodeCommands(program)
  if (args[0] === undefined || ['import', 'help', '--help', '-h'].includes(args[0]))
    (await import('./command-line/import-files.ts')).addImportCommand(program)
  if (args[0] === undefined || ['node', 'help', '--help', '-h'].includes(args[0]))
    (await import('./command-line/nodes.ts')).addNodeCommands(program)
  if (args[0] === undefined || ['profile', 'device-pause', 'help', '--help', '-h'].includes(args[0]))
    (await import('./command-line/profiles.ts')).addProfileCommands(program)
  addBackupCommands(program, async () => (await import('./command-line/data.ts')).backupSubject)
  program
    .command('rotate-key')
    .description('seal everything with a new key; the service must not run, and older backups need the old key')
    .action(async () => (await import('./command-line/data.ts')).rotateKey())
}

function addTunnelCommands(program: Command): void {
  program
    .command('down')
    .description('take all tunnels down; stopping the service leaves them running')
    .action(async () => (await import('./command-line/tunnels.ts')).takeAllDown())
  program
    .command('simulate-traffic')
    .description('make simulated peers connect and transfer until interrupted')
    .action(async () => (await import('./command-line/tunnels.ts')).simulate())
}

/** Facts about this host for `hearth doctor`: whether real tunnels work, and why not; and the last backup. */
export async function doctor(environment: Environment = process.env): Promise<DoctorCheck[]> {
  const [{ describeThisHost }, { describeBackups }, { readConfig }] = await Promise.all([
    import('./command-line/tunnels.ts'),
    import('@hearth/service'),
    import('./config.ts'),
  ])
  return [...(await describeThisHost(environment)), ...(await describeBackups('vpn', readConfig, { environment }))]
}

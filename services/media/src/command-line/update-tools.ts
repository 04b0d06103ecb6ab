import { OperatorError } from '@hearth/runtime'
import type { Command } from 'commander'
import { Problem } from '../problems.ts'
import type { ToolUpdate, Updates } from '../updates/schema.ts'
import type { Updater } from '../updates/updates.ts'

/** `tools`: which versions there are, and another yt-dlp. A running service uses it from its next job on. */
export function addToolCommands(program: Command): void {
  const tools = program.command('tools').description('the programs media are fetched and converted with')
  tools
    .command('status')
    .description('print a line for each component: name, version, newest version; - for what is not known')
    .option('--json', 'print everything that is known')
    .action((options: { json?: boolean }) => withUpdates(async (updates) => print(await updates.check(), options)))
  tools
    .command('update')
    .description('fetch the newest yt-dlp, try it, take it when it works, and print the version in use')
    .action(() => change((updates) => updates.updateYtDlp()))
  tools
    .command('revert')
    .description('go back to the yt-dlp before, and print its version')
    .action(() => change((updates) => updates.revertYtDlp()))
}

function print(status: Updates, { json }: { json?: boolean }): void {
  if (json === true) {
    process.stdout.write(`${JSON.stringify(status, null, 2)}\n`)
    return
  }
  for (const [name, { current, latest, update_available }] of Object.entries(status.components)) {
    process.stdout.write(`${[name, current ?? '-', latest ?? '-'].join('\t')}\n`)
    if (update_available) process.stderr.write(`${name}: ${latest} is newer than ${current}\n`)
  }
  if (!status.complete)
    process.stderr.write('not every newest version could be asked for; an hour later it is tried again\n')
}

async function change(work: (updates: Updater) => Promise<ToolUpdate>): Promise<void> {
  await withUpdates(async (updates) => {
    const { ok, version, message } = await work(updates)
    if (!ok) throw new OperatorError(message)
    process.stderr.write(`${message}\n`)
    process.stdout.write(`${version ?? '-'}\n`)
  })
}

async function withUpdates(work: (updates: Updater) => Promise<void>): Promise<void> {
  // Only these commands need the tools.
  const { openUpdates } = await import('./open-updates.ts')
  try {
    await openUpdates(work)
  } catch (error) {
    throw error instanceof Problem ? new OperatorError(error.message, { cause: error }) : error
  }
}

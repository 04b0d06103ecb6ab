import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '@hearth/runtime'
import { Command, CommanderError } from 'commander'
import { findServices, type ServiceFolder } from '../tools/services.ts'
import { runDoctor } from './doctor.ts'
import { runUp } from './up.ts'

/**
 * Runs one command line, as `hearth …` on a terminal. Errors are one line on stderr and exit code 1; what is meant for scripts
 * is the only thing on stdout.
 */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  try {
    const services = findServices()
    const program = createProgram(services)
    const service = services.find(({ name }) => name === words[0])
    if (service !== undefined) await addServiceCommands(program, service)
    await program.parseAsync([...words], { from: 'user' })
  } catch (error) {
    process.exitCode = report(error)
  }
}

function createProgram(services: readonly ServiceFolder[]): Command {
  const program = new Command('hearth')
    .description('Self-hosted services for a house server')
    .exitOverride()
    .showHelpAfterError('(--help shows what there is)')
  program
    .command('up')
    .description('start services and keep them running')
    .argument('[services...]', `any of ${services.map(({ name }) => name).join(', ')}; all when left out`)
    .action((names: string[]) => runUp(choose(services, names)))
  program
    .command('doctor')
    .description('what is installed, what is missing, and what that means')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => runDoctor(services, { isJson: options.json === true }))
  for (const { name, title } of services) program.command(name, { hidden: false }).description(`commands of ${title}`)
  return program
}

function choose(services: readonly ServiceFolder[], names: readonly string[]): ServiceFolder[] {
  for (const name of names) {
    if (!services.some((service) => service.name === name)) {
      throw new OperatorError(
        `there is no service ${name}; there are ${services.map((service) => service.name).join(', ')}`,
      )
    }
  }
  return services.filter(({ name }) => names.length === 0 || names.includes(name))
}

/** Only the service that was named is loaded: the others' code has no part in this command. */
async function addServiceCommands(program: Command, service: ServiceFolder): Promise<void> {
  const file = join(service.folder, 'src/commands.ts')
  const command = program.commands.find((known) => known.name() === service.name)
  if (command === undefined || !existsSync(file)) throw new OperatorError(`${service.name} has no commands`)
  const module = (await import(file)) as { addCommands: (program: Command) => void }
  module.addCommands(command)
  inherit(command)
}

/** Commands made later take over how errors end. */
function inherit(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command)
    inherit(child)
  }
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1
  if (error instanceof OperatorError) process.stderr.write(`hearth: ${error.message}\n`)
  else {
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(`hearth: ${message} (LOG_LEVEL=debug shows where)\n`)
    if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  }
  return 1
}

if (import.meta.main) await runCommandLine(process.argv.slice(2))

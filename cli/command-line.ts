import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '@hearth/runtime/operator-error'
import { Command, CommanderError } from 'commander'
import { chooseServices, findServices, root, type ServiceFolder } from './services.ts'
import { commandsFile } from './build-state.ts'
import { endWithParent } from './end-with-parent.ts'
import { readPageState } from './web-pages.ts'

/** Folder of the services, and the file that runs a command line with them. */
export interface Location {
  readonly root: string
  readonly program: string
}

/**
 * Runs one command line, as `hearth …` on a terminal. An error is one line on stderr and ends the process with 1; what is meant
 * for scripts is the only thing on stdout.
 */
export async function runCommandLine(
  args: readonly string[],
  location: Location = { root, program: join(import.meta.dirname, 'hearth.mjs') },
): Promise<void> {
  endWithParent()
  try {
    const services = findServices(location.root)
    const program = createProgram(services, location)
    const named = args[0] === 'help' ? args[1] : args[0]
    const service = services.find(({ name }) => name === named)
    if (service !== undefined) await addServiceCommands(program, service, { args: args.slice(1), location })
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    // Handles that a failed command left open must not keep the process alive.
    process.exit(report(error))
  }
}

function createProgram(services: readonly ServiceFolder[], location: Location): Command {
  const program = new Command('hearth')
    .description('Self-hosted services for a house server')
    .version(readVersion(location.root))
    .exitOverride()
    .showHelpAfterError('(--help lists the commands)')
  program
    .command('up')
    .description('start services and keep them running')
    .argument('[services...]', `any of ${services.map(({ name }) => name).join(', ')}; all when left out`)
    .action(async (names: string[]) => {
      const { runUp } = await import('./up.ts')
      await runUp(chooseServices(services, names), location.program)
    })
  program
    .command('doctor')
    .description('check what is installed, what is missing, and what that means')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => {
      const { runDoctor } = await import('./doctor.ts')
      await runDoctor(services, { isJson: options.json === true })
    })
  for (const { name, title } of services) program.command(name).description(`commands of ${title}`)
  return program
}

function readVersion(repository: string): string {
  return (JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string }).version
}

/** Exports of a service's `src/commands.ts`. `args` are those after its name: commands that are not called need not be loaded. */
export interface ServiceCommands {
  addCommands(program: Command, args: readonly string[]): void | Promise<void>
}

/** Loads only the named service. */
async function addServiceCommands(
  program: Command,
  service: ServiceFolder,
  { args, location }: { args: readonly string[]; location: Location },
): Promise<void> {
  const file = commandsFile(service)
  const command = program.commands.find((known) => known.name() === service.name)
  if (command === undefined || !existsSync(file)) throw new OperatorError(`${service.name} has no commands`)
  const module = (await import(file)) as ServiceCommands
  await module.addCommands(command, args)
  inherit(command)
  // Runs after the start, so that it does not delay it.
  command.hook('postAction', (_, called) => {
    if (called.name() === 'serve') warnOfPages(service, location.root)
  })
}

/** Warns on stderr if the pages of a service are missing or stale; set-up builds them, `serve` does not. */
function warnOfPages(service: ServiceFolder, repository: string): void {
  const state = readPageState(service)
  if (state === 'none' || state === 'built') return
  const found = state === 'missing' ? 'are not built' : 'are older than their sources'
  process.stderr.write(`hearth: the web pages of ${service.name} ${found}; run npm run setup in ${repository}\n`)
}

/** Commands created later inherit the error handling. */
function inherit(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command)
    inherit(child)
  }
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1
  // Checked by name: a built service bundles its own copy of the class.
  if (error instanceof Error && error.name === 'OperatorError') process.stderr.write(`hearth: ${error.message}\n`)
  else {
    const [line] = (error instanceof Error ? error.message : String(error)).split('\n')
    process.stderr.write(`hearth: ${line} (LOG_LEVEL=debug shows where)\n`)
    if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  }
  return 1
}

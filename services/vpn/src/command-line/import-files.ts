import { OperatorError } from '@hearth/runtime'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { DnsImportPart } from '../dns-import/schema.ts'
import { readGivenFiles } from './given-files.ts'
import { type FilterImportOptions, importFilter } from './import-filter.ts'
import { importServer, type ServerImportOptions } from './import-server.ts'
import { reach } from './reach.ts'

type ImportOptions = ServerImportOptions & FilterImportOptions

/** `import`: WireGuard servers and DNS filters of other programs. */
export function addImportCommand(program: Command): void {
  const command = program
    .command('import')
    .description(
      'take over a WireGuard server of wg-easy, WGDashboard, PiVPN or wg-quick, or the settings of AdGuard Home or Pi-hole; without --url the service must not run',
    )
    .argument('<path...>', 'its files, or the folder that holds those of a server')
    .option('--dry-run', 'say what would be created, and create nothing')
    .option('--stopped', 'of a server: leave the interfaces stopped')
    .option('--name <old=new...>', 'of a server: give an interface another name; may be repeated', [])
    .addOption(
      new Option(
        '--part <part...>',
        `of a DNS filter: what comes along, all without it: ${DnsImportPart.options.join(', ')}`,
      ).argParser(readPart),
    )
    .action(importFiles)
  for (const option of reach) command.addOption(option)
}

function readPart(text: string, before: readonly DnsImportPart[] = []): DnsImportPart[] {
  const { data } = DnsImportPart.safeParse(text)
  if (data === undefined) throw new InvalidArgumentError(`must be one of ${DnsImportPart.options.join(', ')}`)
  return [...before, data]
}

/** Takes over what the files hold: settings of a DNS filter, or servers. */
async function importFiles(paths: readonly string[], options: ImportOptions): Promise<void> {
  const files = await readGivenFiles(paths)
  // Loaded here: other commands need no readers of YAML, TOML and archives.
  const { isDnsFile } = await import('../dns-import/sources/read-dns-files.ts')
  const ofFilter = files.filter(isDnsFile)
  const [first] = ofFilter
  if (first === undefined) {
    if (options.part !== undefined) throw new OperatorError('--part: there is no file of a DNS filter')
    return importServer(files, options)
  }
  const other = files.find((file) => !ofFilter.includes(file))
  if (other !== undefined)
    throw new OperatorError(
      `${first.name} is of a DNS filter and ${other.name} of a server: import one after the other`,
    )
  for (const [option, isGiven] of [
    ['--stopped', options.stopped === true],
    ['--name', options.name.length > 0],
  ] as const)
    if (isGiven) throw new OperatorError(`${option}: ${first.name} is of a DNS filter, which has no interfaces`)
  return importFilter(files, options)
}

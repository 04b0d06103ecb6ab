import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { OperatorError, writeFileAtomic } from '@hearth/runtime'
import { type Command, Option } from 'commander'
import { describeReport } from '../as-code/describe.ts'
import type { ApplyReport, ApplyRequest } from '../as-code/schema.ts'
import { minPassphrase } from '../as-code/secrets.ts'
import { readTextFile } from './given-files.ts'
import { readHidden } from './hidden-input.ts'
import { inLines, reach, type ReachOptions, withAccess } from './reach.ts'

type SecretOptions = ReachOptions & { readonly passphraseFile?: string }

type ExportOptions = SecretOptions & { readonly withSecrets?: boolean }

type ApplyOptions = SecretOptions & {
  readonly [Switch in 'dryRun' | 'yes' | 'prune' | 'newKeys' | 'allowHostOverlap']?: boolean
}

const passphraseOption = new Option(
  '--passphrase-file <file>',
  'file with the passphrase of the secrets, instead of asking for it',
)

/** `export` and `apply`: the whole wanted state as one file. */
export function addAsCodeCommands(program: Command): void {
  const exporting = program
    .command('export')
    .description('write the wanted state as YAML: interfaces, peers, access, DNS and settings')
    .argument('[file]', 'where to; standard output when left out')
    .option('--with-secrets', 'private and preshared keys come along, encrypted with a passphrase')
    .action(exportState)
  const applying = program
    .command('apply')
    .description('bring the service to what a file says; without --url the service must not run')
    .argument('<file>', 'the file; - reads standard input')
    .option('--dry-run', 'only say what would change')
    .option('--yes', 'do not ask')
    .option('--prune', 'delete what the file does not have, in the sections that it has')
    .option('--new-keys', 'give new interfaces new keys when the file does not have them')
    .option('--allow-host-overlap', 'take networks although this host reaches them over another device')
    .action(applyFile)
  for (const option of [...reach, passphraseOption]) {
    exporting.addOption(option)
    applying.addOption(option)
  }
}

async function exportState(file: string | undefined, options: ExportOptions): Promise<void> {
  const passphrase = options.withSecrets === true ? await newPassphrase(options) : undefined
  await withAccess(options, { isReading: true }, async ({ state }) => {
    const text = await inLines(file ?? 'export', () => state.export(passphrase))
    if (file === undefined) process.stdout.write(text)
    else await writeFileAtomic(file, text)
  })
}

async function applyFile(file: string, options: ApplyOptions): Promise<void> {
  const text = await readTextFile(file)
  const passphrase = /^secrets:/m.test(text) ? await givenPassphrase(options) : undefined
  const request: ApplyRequest = {
    text,
    ...(passphrase === undefined ? {} : { passphrase }),
    dry_run: true,
    prune: options.prune === true,
    new_keys: options.newKeys === true,
    allow_host_overlap: options.allowHostOverlap === true,
  }
  await withAccess(options, { isReading: false }, async ({ state }) => {
    const trial = await inLines(file, () => state.apply(request, 'command line'))
    process.stdout.write(describeReport(trial))
    if (options.dryRun === true || isNothing(trial)) return
    if (options.yes !== true && !(await isConfirmed())) {
      process.stdout.write('nothing was changed\n')
      return
    }
    await inLines(file, () => state.apply({ ...request, dry_run: false, expected_plan: trial.plan }, 'command line'))
    process.stdout.write('done\n')
  })
}

const isNothing = ({ created, changed, deleted }: ApplyReport) => created + changed + deleted === 0

async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new OperatorError('--yes is needed where nobody can be asked')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question('Do this? [y/N] ')).trim())
  } finally {
    terminal.close()
  }
}

async function newPassphrase(options: SecretOptions): Promise<string> {
  const passphrase = await givenPassphrase(options)
  if (passphrase.length < minPassphrase)
    throw new OperatorError(`the passphrase must have at least ${minPassphrase} characters`)
  if (options.passphraseFile === undefined && (await readHidden('The same again: ')) !== passphrase)
    throw new OperatorError('the passphrases differ')
  return passphrase
}

async function givenPassphrase({ passphraseFile: file }: SecretOptions): Promise<string> {
  if (file === undefined) return readHidden('Passphrase of the secrets: ')
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new OperatorError(`--passphrase-file: cannot read ${file}: ${error.message}`, { cause: error })
  })
  return text.replace(/\r?\n$/, '')
}

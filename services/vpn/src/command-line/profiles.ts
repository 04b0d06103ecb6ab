import { OperatorError } from '@hearth/runtime'
import { type Command, InvalidArgumentError } from 'commander'
import { Document } from 'yaml'
import { formatVersion } from '../as-code/write-document.ts'
import { readYaml } from '../as-code/yaml-text.ts'
import { nameKey } from '../envelope.ts'
import type { DnsProfile } from '../filtering/profiles/schema.ts'
import { readTextFile } from './given-files.ts'
import { inLines, reach, type ReachOptions, type ServiceAccess, withAccess } from './reach.ts'

/** A week, as over the API. */
const maxMinutes = 10_080

/** The members of a profile as `hearth vpn export` writes them. */
type Entry = Map<string, unknown>

type ListOptions = ReachOptions & { readonly json?: boolean }

/** `profile` and `device-pause`: profiles of the DNS filter, and the pauses that devices made themselves. */
export function addProfileCommands(program: Command): void {
  const profile = program.command('profile').description('profiles of the DNS filter')
  const commands = [
    profile
      .command('list')
      .description('list the profiles, with what holds for their devices')
      .option('--json', 'as JSON, for scripts')
      .action(listProfiles),
    profile
      .command('show')
      .description('print a profile as YAML, in the form that create and update read')
      .argument('<name>', 'its name')
      .action(showProfile),
    profile
      .command('create')
      .description('create a profile')
      .argument('<name>', 'its name')
      .argument('<file>', 'YAML file; - reads standard input')
      .action((name: string, file: string, options: ReachOptions) =>
        writeProfile({ name, file, isNew: true }, options),
      ),
    profile
      .command('update')
      .description('change a profile; members that the file leaves out stay')
      .argument('<name>', 'its name')
      .argument('<file>', 'YAML file; - reads standard input')
      .action((name: string, file: string, options: ReachOptions) =>
        writeProfile({ name, file, isNew: false }, options),
      ),
    profile
      .command('assign')
      .description('give a peer a profile of its own; without a profile, take it away')
      .argument('<peer>', 'name of the peer')
      .argument('[name]', 'name of the profile')
      .action(assignProfile),
    profile
      .command('pause')
      .description('block nothing for the devices of a profile for a while')
      .argument('<name>', 'its name')
      .requiredOption('--minutes <number>', 'how long, up to a week', readMinutes)
      .action((name: string, options: ReachOptions & { minutes: number }) =>
        pauseProfile(name, options.minutes, options),
      ),
    profile
      .command('resume')
      .description('end the pause of a profile')
      .argument('<name>', 'its name')
      .action((name: string, options: ReachOptions) => pauseProfile(name, 0, options)),
  ]
  const pauses = program.command('device-pause').description('pauses that devices made of their own filter')
  commands.push(
    pauses.command('list').description('list them').option('--json', 'as JSON, for scripts').action(listPauses),
    pauses.command('end').description('end one').argument('<peer>', 'name of the peer').action(endPause),
  )
  for (const command of commands) for (const option of reach) command.addOption(option)
}

async function listProfiles(options: ListOptions): Promise<void> {
  await withAccess(options, { isReading: true }, async ({ profiles }) => {
    const rows = await inLines('profiles', () => profiles.list())
    print(rows, options, profileLine)
  })
}

function profileLine({ name, peer_count: peers, groups, interfaces, state }: DnsProfile): string {
  const whose = [
    `${peers} ${peers === 1 ? 'device' : 'devices'}`,
    ...groups.map((group) => `group ${group.name}`),
    ...interfaces.map((each) => `interface ${each}`),
  ]
  const { paused_until: until, holds } = state
  const now = until !== null ? `paused until ${until}` : holds === null ? 'holds not now' : `${holds.name} holds`
  return `${name}\t${whose.join(', ')}\t${now}`
}

async function showProfile(name: string, options: ReachOptions): Promise<void> {
  await withAccess(options, { isReading: true }, async ({ state }) => {
    const [, entry] = found(await entriesOf(state), name)
    process.stdout.write(new Document(entry, { aliasDuplicateObjects: false }).toString({ lineWidth: 0 }))
  })
}

interface Writing {
  readonly name: string
  readonly file: string
  readonly isNew: boolean
}

async function writeProfile({ name, file, isNew }: Writing, options: ReachOptions): Promise<void> {
  const members = await readMembers(file)
  await withAccess(options, { isReading: false }, async ({ state }) => {
    const entries = await entriesOf(state)
    const known = [...entries.keys()].find((each) => nameKey(each) === nameKey(name))
    if (isNew && known !== undefined) throw new OperatorError(`there is a profile ${known} already`)
    const [stored, entry] = isNew ? [name, new Map()] : found(entries, name)
    await apply(state, file, new Map([[stored, new Map([...entry, ...members])]]))
    process.stderr.write(`profile ${stored} ${isNew ? 'created' : 'changed'}\n`)
  })
}

async function assignProfile(peer: string, name: string | undefined, options: ReachOptions): Promise<void> {
  await withAccess(options, { isReading: false }, async ({ state }) => {
    const entries = await entriesOf(state)
    const to = name === undefined ? undefined : found(entries, name)[0]
    const changed = new Map<string, Entry>()
    for (const [each, entry] of entries) {
      const peers = (entry.get('peers') ?? []) as string[]
      const others = peers.filter((one) => nameKey(one) !== nameKey(peer))
      if (others.length < peers.length || each === to)
        changed.set(each, new Map([...entry, ['peers', each === to ? [...others, peer] : others]]))
    }
    if (changed.size > 0) await apply(state, peer, changed)
    process.stderr.write(to === undefined ? `${peer} has no profile of its own\n` : `${peer} is in the profile ${to}\n`)
  })
}

async function pauseProfile(name: string, minutes: number, options: ReachOptions): Promise<void> {
  await withAccess(options, { isReading: false }, async ({ profiles }) => {
    const rows = await inLines(name, () => profiles.list())
    const profile = rows.find((row) => nameKey(row.name) === nameKey(name))
    if (profile === undefined) throw new OperatorError(`there is no profile ${name}`)
    await inLines(name, () => profiles.pause(profile.id, minutes * 60))
    process.stderr.write(`profile ${profile.name} ${minutes === 0 ? 'goes on' : 'is paused'}\n`)
  })
}

async function listPauses(options: ListOptions): Promise<void> {
  await withAccess(options, { isReading: true }, async ({ pauses }) => {
    const rows = await inLines('pauses', () => pauses.list())
    print(rows, options, ({ peer, paused_until: until }) => `${peer.name}\tuntil ${until}`)
  })
}

async function endPause(peer: string, options: ReachOptions): Promise<void> {
  await withAccess(options, { isReading: false }, async ({ pauses }) => {
    const rows = await inLines(peer, () => pauses.list())
    const pause = rows.find((row) => nameKey(row.peer.name) === nameKey(peer))
    if (pause === undefined) throw new OperatorError(`${peer} has not paused its filter`)
    await inLines(peer, () => pauses.end(pause.peer.id))
    process.stderr.write(`the filter of ${pause.peer.name} is on again\n`)
  })
}

function print<T>(rows: readonly T[], { json }: ListOptions, lineOf: (row: T) => string): void {
  const lines = rows.map((row) => `${lineOf(row)}\n`).join('')
  process.stdout.write(json === true ? `${JSON.stringify(rows, undefined, 2)}\n` : lines)
}

/** The profiles of the wanted state by their names. */
async function entriesOf(state: ServiceAccess['state']): Promise<Map<string, Entry>> {
  const document = readYaml(await inLines('profiles', () => state.export()))
  const sections = 'value' in document ? (document.value as Entry) : new Map<string, unknown>()
  return (sections.get('dns_profiles') ?? new Map()) as Map<string, Entry>
}

function found(entries: ReadonlyMap<string, Entry>, name: string): readonly [string, Entry] {
  const entry = [...entries].find(([each]) => nameKey(each) === nameKey(name))
  if (entry === undefined) throw new OperatorError(`there is no profile ${name}`)
  return entry
}

async function apply(state: ServiceAccess['state'], what: string, profiles: Map<string, Entry>): Promise<void> {
  const content = new Map<string, unknown>([
    ['format', formatVersion],
    ['dns_profiles', profiles],
  ])
  const text = new Document(content, { aliasDuplicateObjects: false }).toString({ lineWidth: 0 })
  const as = { dry_run: false, prune: false, new_keys: false, allow_host_overlap: false }
  // The lines are those of a text that nobody sees; the paths say enough.
  await inLines(what, () => state.apply({ text, ...as }, 'command line'), { hasLines: false })
}

async function readMembers(file: string): Promise<Entry> {
  const document = readYaml(await readTextFile(file))
  if (!('value' in document)) {
    const [first] = document
    throw new OperatorError(`${file}:${first?.line ?? 1}: ${first?.message ?? 'is no YAML'}`)
  }
  if (!(document.value instanceof Map)) throw new OperatorError(`${file}: must have the members of a profile`)
  return document.value as Entry
}

function readMinutes(text: string): number {
  const minutes = Number(text)
  if (!Number.isSafeInteger(minutes) || minutes < 1 || minutes > maxMinutes)
    throw new InvalidArgumentError(`must be a whole number from 1 to ${maxMinutes}`)
  return minutes
}

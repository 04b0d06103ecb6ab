import type { Kysely } from 'kysely'
import { LeftNothing, orNothing } from '../left-nothing.ts'
import { readForeignFiles } from '../foreign-files/read-foreign-files.ts'
import { firstFreePort, type HostLinks } from '../interfaces/host-links.ts'
import { readReach } from '../interfaces/host-reach.ts'
import { interfaceMembers } from '../interfaces/interfaces.ts'
import { checkHostNetworks, checkNetworks, lockNetworks } from '../interfaces/network-checks.ts'
import { type InterfaceDefaults, newInterfaceRow } from '../interfaces/new-interface.ts'
import { deleteInterfaceRow, findInterfaceRow, insertInterfaceRow } from '../interfaces/store.ts'
import { newPeerRow, type PeerDefaults } from '../peers/new-peer.ts'
import { withLocks } from '../peers/many-devices.ts'
import type { PeerDependencies } from '../peers/peers.ts'
import { insertPeerRow } from '../peers/store.ts'
import { conflict, namedConflict, Problem, tunnelProblem } from '../problems.ts'
import type { Tables } from '../tables.ts'
import { publicKeyOf } from '../wireguard/keys.ts'
import type { TunnelChanges } from '../wireguard/tunnels.ts'
import { type DraftProblem, draftServer } from './draft.ts'
import type { FoundServers } from './found-server.ts'
import { countProblems, noteProblem, type Outcome } from './outcome.ts'
import { refusal, reportOf } from './report.ts'
import { readFiles } from './sources/read-files.ts'
import type { ServerImport, ServerImportReport } from './schema.ts'
import { readPeerNames } from './store.ts'

/** What the import of servers stands on. */
export interface ServerImportDependencies extends Pick<PeerDependencies, 'database' | 'sealer' | 'clock'> {
  readonly settings: () => PeerDefaults & InterfaceDefaults
  readonly host: HostLinks
  /** The running service; without one its next start brings the tunnels up. */
  readonly running: RunningService | undefined
}

interface RunningService extends Pick<PeerDependencies, 'tunnels' | 'desired' | 'sampler'> {
  /** Called when interfaces with these peers were created; resolves when the resolver uses them. */
  readonly onChanged: (ids: readonly string[]) => Promise<void>
}

/** Peers of one import, at most. */
const maxPeers = 10_000

/**
 * Takes the WireGuard servers of another program over, with their keys, so that no device has to change: all of them or none.
 * A device that runs already under the same name and key goes on without an interruption. A dry run creates nothing, and says
 * what would stand in the way.
 */
export async function importServers(
  dependencies: ServerImportDependencies,
  input: ServerImport,
): Promise<ServerImportReport> {
  const found = readGiven(input)
  const takenNames = await readPeerNames(dependencies.database.query)
  const drafts = found.servers.map((server) =>
    draftServer(server, { name: input.names[server.name] ?? server.name, start: input.start, takenNames }),
  )
  const outcomes = drafts.map((draft): Outcome => ({
    draft,
    problems: [...draft.problems],
    isRunning: false,
    row: undefined,
    peers: draft.peers.map((peer) => ({ draft: peer, problems: peer.problems, row: undefined })),
  }))
  const names = drafts.map(({ name }) => name)
  refuseTwins(outcomes)
  const { running } = dependencies
  const work = async (tunnel?: TunnelChanges) => {
    for (const outcome of outcomes) await checkHost(dependencies, outcome)
    const isTrial = input.dry_run || countProblems(outcomes) > 0
    await insertAll(dependencies, outcomes, isTrial)
    const isDone = !input.dry_run && countProblems(outcomes) === 0
    if (isDone && running !== undefined && tunnel !== undefined)
      await bringAll({ ...dependencies, ...running }, tunnel, outcomes)
    return isDone
  }
  const created = running === undefined ? await work() : await withLocks(running, names, work)
  const leftOut = [...found.leftOut, ...drafts.flatMap((draft) => draft.leftOut)]
  const report = reportOf(outcomes, { leftOut, created })
  if (!input.dry_run && !created) throw refusal(report)
  if (created) await running?.onChanged(outcomes.flatMap(({ peers }) => peers.flatMap(({ row }) => row?.id ?? [])))
  return report
}

function readGiven({ files }: ServerImport): FoundServers {
  const found = readForeignFiles(files, readFiles)
  if (found.servers.length === 0) throw refusedFiles('hold no WireGuard server')
  const count = found.servers.reduce((sum, { peers }) => sum + peers.length, 0)
  if (count > maxPeers) throw refusedFiles(`hold ${count} peers; at most ${maxPeers} at once`)
  return found
}

const refusedFiles = (message: string) => new Problem('invalid', `files ${message}`, { details: { field: 'files' } })

function refuseTwins(outcomes: readonly Outcome[]): void {
  const names = outcomes.map(({ draft }) => draft.name)
  for (const [index, { draft, problems }] of outcomes.entries())
    if (names.indexOf(draft.name) < index) problems.push({ field: 'name', message: `${draft.name} is there twice` })
}

/** Finds out what on this host stands in the way. A running device of the same name and key does not: it is the one to take over. */
async function checkHost({ host, database }: ServerImportDependencies, outcome: Outcome): Promise<void> {
  const { draft, problems } = outcome
  const { input } = draft
  if (input === undefined) return
  const running = await host.runningKey(draft.name)
  outcome.isRunning = running === publicKeyOf(draft.found.privateKey)
  const isKnown = (await findInterfaceRow(database.query, draft.name)) !== undefined
  if (input.enabled !== true || outcome.isRunning || isKnown) return
  await noteProblem(problems, async () => {
    if (running !== undefined || (await host.isTaken(draft.name)))
      throw conflict('name', `This host has a network interface ${draft.name} already; stop it, or choose another name`)
    const { listen_port: port } = input
    if (port !== undefined && !(await host.isPortFree(port)))
      throw conflict('listen_port', `Another program on this host uses the UDP port ${port}; stop it first`)
    const { address, address6 = null, name } = input
    checkHostNetworks({ name, address, address6 }, await readReach(database.query, host, null))
  })
}

/** Inserts all interfaces with their peers in one transaction, and notes what stands in the way; a trial leaves nothing behind. */
async function insertAll(
  dependencies: ServerImportDependencies,
  outcomes: readonly Outcome[],
  isTrial: boolean,
): Promise<void> {
  const { database } = dependencies
  await orNothing(() =>
    namedConflict('interface', interfaceMembers, () =>
      database.query.transaction().execute(async (trx) => {
        await lockNetworks(database.kind, trx)
        for (const outcome of outcomes) await insertOne(dependencies, trx, outcome)
        if (isTrial || countProblems(outcomes) > 0) throw new LeftNothing()
      }),
    ),
  )
}

async function insertOne(dependencies: ServerImportDependencies, trx: Kysely<Tables>, outcome: Outcome): Promise<void> {
  const { database, host, sealer, settings, clock } = dependencies
  const networks = { kind: database.kind, host }
  const { draft, problems } = outcome
  if (draft.input === undefined) return
  const { input, found } = draft
  const now = clock.now()
  const port = input.listen_port ?? (await firstFreePort(trx, host))
  await noteProblem(problems, async () => {
    if ((await findInterfaceRow(trx, input.name)) !== undefined)
      throw conflict('name', `The interface ${input.name} exists`)
    const keys = { privateKey: found.privateKey, publicKey: publicKeyOf(found.privateKey) }
    const row = newInterfaceRow({ ...input, listen_port: port }, { sealer, settings: settings(), now, keys })
    await checkNetworks(trx, row)
    await insertInterfaceRow(trx, row)
    outcome.row = row
  })
  const { row: on } = outcome
  if (on === undefined) return
  for (const peer of outcome.peers) {
    const { input: wanted, found: keys } = peer.draft
    if (wanted === undefined) continue
    const noted: DraftProblem[] = []
    await noteProblem(noted, async () => {
      const row = await newPeerRow(trx, on, { input: wanted, context: { sealer, settings, now, networks }, keys })
      await insertPeerRow(trx, row)
      peer.row = row
    })
    peer.problems = noted
  }
}

/** Starts what is to run; when one cannot, everything is as it was. A device that ran before goes on in either case. */
async function bringAll(
  { database, desired, sampler }: Pick<PeerDependencies, 'database' | 'desired' | 'sampler'>,
  tunnel: TunnelChanges,
  outcomes: readonly Outcome[],
): Promise<void> {
  const started: Outcome[] = []
  try {
    for (const outcome of outcomes) {
      if (outcome.row?.enabled !== 1) continue
      const [device] = await desired.read(outcome.row.name)
      started.push(outcome)
      if (device !== undefined) await tunnel.bring(device)
    }
  } catch (error) {
    for (const { row, isRunning } of started)
      if (row !== undefined && !isRunning) await tunnel.take(row.name, row.public_key).catch(() => undefined)
    for (const { row } of outcomes) if (row !== undefined) await deleteInterfaceRow(database.query, row.name)
    throw tunnelProblem(error)
  }
  for (const { row: on, peers } of outcomes)
    for (const { row } of peers) if (row !== undefined && on !== undefined) sampler.follow(row, on)
}

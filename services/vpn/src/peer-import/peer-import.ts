import type { Peers } from '../peers/peers.ts'
import { Problem, problemFields } from '../problems.ts'
import type { LinkContext, SetupLinks } from '../setup-links/setup-links.ts'
import { columnOfMember, columns, type PeerLine, readPeerLine } from './peer-lines.ts'
import { readCsv } from './read-csv.ts'
import type { ImportedPeer, PeerImport, PeerImportReport } from './schema.ts'

export interface PeerImportDependencies {
  readonly peers: Pick<Peers, 'createMany'>
  readonly setupLinks: Pick<SetupLinks, 'createMany'>
}

/** Creates the peers of a file: all of them or none. A dry run says what is wrong with each line and creates nothing. */
export async function importPeers(
  { peers, setupLinks }: PeerImportDependencies,
  input: PeerImport,
  context: LinkContext,
): Promise<PeerImportReport> {
  const lines = readCsv(input.csv, columns).map((line) => readPeerLine(line, input.interface))
  const inputs = lines.flatMap((line) => line.input ?? [])
  const isTrial = input.dry_run || inputs.length < lines.length
  const outcomes = await peers.createMany(inputs, { isTrial })
  let next = 0
  const reports = lines.map((line): ImportedPeer => reportOf(line, line.input && outcomes[next++]))
  const faulty = reports.filter(({ problems }) => problems.length > 0)
  if (input.dry_run) return { created: 0, faulty: faulty.length, peers: reports.map((peer) => ({ ...peer, id: null })) }
  if (faulty.length > 0) throw refusal(faulty)
  if (input.setup_links_hours === undefined) return { created: reports.length, faulty: 0, peers: reports }
  const ids = reports.flatMap(({ id }) => id ?? [])
  const urls = await setupLinks.createMany(ids, { expires_in_hours: input.setup_links_hours }, context)
  const linked = reports.map((peer) => ({ ...peer, setup_url: urls.get(peer.id ?? '') ?? null }))
  return { created: reports.length, faulty: 0, peers: linked }
}

type Outcome = Awaited<ReturnType<Peers['createMany']>>[number]

function reportOf(
  { line, name, interface: on, input, problems }: PeerLine,
  outcome: Outcome | undefined,
): ImportedPeer {
  const shown = {
    line,
    name,
    interface: on,
    tags: input?.tags ?? [],
    expires_at: input?.expires_at ? new Date(input.expires_at).toISOString() : null,
    setup_url: null,
  }
  if (outcome === undefined) return { ...shown, ip: null, problems: [...problems], id: null }
  if (outcome instanceof Problem) return { ...shown, ip: null, problems: problemsOf(outcome), id: null }
  return { ...shown, ip: outcome.ip, problems: [], id: outcome.id }
}

/** The cells that a problem is about, as the problem names the members of a peer. */
function problemsOf(problem: Problem): ImportedPeer['problems'] {
  return problemFields(problem).map(({ path, message }) => ({ column: columnOfMember(path), message }))
}

function refusal(faulty: readonly ImportedPeer[]): Problem {
  const fields = faulty.flatMap(({ line, problems }) =>
    problems.map(({ column, message }) => ({ path: `line ${line}.${column}`, code: 'invalid', message })),
  )
  const [first] = fields
  const others = faulty.length === 1 ? '' : ` (and ${faulty.length - 1} more lines)`
  return new Problem('invalid', `${first?.path.replace('.', ', ')} ${first?.message}${others}; nothing was created`, {
    details: { fields },
  })
}

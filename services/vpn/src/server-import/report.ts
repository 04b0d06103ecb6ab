import { Problem } from '../problems.ts'
import { publicKeyOf } from '../wireguard/keys.ts'
import { countProblems, type Outcome } from './outcome.ts'
import type { ImportedServer, ImportedServerPeer, ServerImportReport } from './schema.ts'

/** Reports what became, or would become, of the servers. */
export function reportOf(
  outcomes: readonly Outcome[],
  { leftOut, created }: { leftOut: ServerImportReport['left_out']; created: boolean },
): ServerImportReport {
  const count = outcomes.reduce((sum, { peers }) => sum + peers.length, 0)
  return {
    created: created ? count : 0,
    problems: countProblems(outcomes),
    interfaces: outcomes.map((outcome) => serverView(outcome, created)),
    left_out: leftOut.slice(0, 1000),
  }
}

function serverView({ draft, problems, isRunning, row, peers }: Outcome, created: boolean): ImportedServer {
  const { found, name, input } = draft
  return {
    source: found.source,
    found_as: found.name,
    name,
    address: input?.address ?? null,
    address6: input?.address6 ?? null,
    listen_port: row?.listen_port ?? found.listenPort ?? null,
    public_key: publicKeyOf(found.privateKey),
    enabled: input?.enabled === true,
    is_running: isRunning,
    problems: [...problems],
    peers: peers.map((peer) => peerView(peer, created)),
  }
}

function peerView({ draft, problems, row }: Outcome['peers'][number], created: boolean): ImportedServerPeer {
  const { found, name, input } = draft
  return {
    name,
    ip: input?.ip ?? null,
    ipv6: input?.ipv6 ?? null,
    public_key: found.publicKey,
    has_private_key: found.privateKey !== null,
    enabled: found.enabled,
    expires_at: input?.expires_at ?? null,
    problems: [...problems],
    id: created ? (row?.id ?? null) : null,
  }
}

/** The problem for a report with problems: the first in words, and the others named. */
export function refusal({ interfaces, problems }: ServerImportReport): Problem {
  const fields = interfaces.flatMap((on) => [
    ...on.problems.map(({ field, message }) => ({ path: `${on.name}.${field}`, code: 'invalid', message })),
    ...on.peers.flatMap((peer) =>
      peer.problems.map(({ field, message }) => ({
        path: `${on.name}.${peer.name}.${field}`,
        code: 'invalid',
        message,
      })),
    ),
  ])
  const [first] = fields
  const others = problems === 1 ? '' : ` (and ${problems - 1} more problems)`
  const message = `${first?.path}: ${first?.message}${others}; nothing was created`
  return new Problem('conflict', message, { details: { fields: fields.slice(0, 100) } })
}

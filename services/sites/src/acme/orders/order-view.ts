import { X509Certificate } from 'node:crypto'
import { toIsoString } from '@hearth/runtime'
import type { OrderView } from '../schema.ts'
import type { ChallengeRecordRow, OrderRow, RevocationRow } from '../tables.ts'
import { advice } from './failures.ts'
import type { FailedOrders, HistoryEntry, OrderState, Problem, Progress, Step } from './order-machine.ts'

/** The state that is stored in a row. */
export function stateOfRow(row: OrderRow): OrderState {
  return {
    progress: JSON.parse(row.progress) as Progress,
    attempts: row.attempts,
    problem: row.problem === null ? null : (JSON.parse(row.problem) as Problem),
    failed: row.failed_orders === null ? null : (JSON.parse(row.failed_orders) as FailedOrders),
    nextAt: row.next_at,
    renewAt: row.renew_at,
    notAfter: row.not_after,
    history: JSON.parse(row.history) as HistoryEntry[],
  }
}

/** The columns of a state. */
export function columnsOf(state: OrderState) {
  return {
    progress: JSON.stringify(state.progress),
    attempts: state.attempts,
    problem: state.problem === null ? null : JSON.stringify(state.problem),
    failed_orders: state.failed === null ? null : JSON.stringify(state.failed),
    next_at: state.nextAt,
    renew_at: state.renewAt,
    not_after: state.notAfter,
    history: JSON.stringify(state.history),
  }
}

const words: Readonly<Record<Step, string>> = {
  idle: 'The certificate is in place',
  revoked: 'The certificate is revoked',
  account: 'Preparing the account at the authority',
  order: 'Placing the order',
  read: 'Reading what is to be proved',
  publish: 'Adding the TXT records',
  spread: 'Waiting for DNS to spread',
  validate: 'The authority validates the names',
  finalize: 'Asking for the certificate',
  download: 'Fetching the certificate',
}

const restingStates: Partial<Record<Step, OrderView['state']>> = { idle: 'valid', revoked: 'revoked' }

/** An order as the API returns it. */
export function orderView(
  row: OrderRow,
  records: readonly ChallengeRecordRow[],
  revocation: RevocationRow | undefined,
): OrderView {
  const { progress, problem: stepProblem, failed, history } = stateOfRow(row)
  const { step } = progress
  const problem = stepProblem ?? failed?.problem ?? null
  return {
    id: row.id,
    name: row.name,
    domains: row.domains.split(' '),
    provider_id: row.provider_id,
    directory: row.directory,
    certificate_id: row.certificate_id,
    state: stepProblem !== null ? 'waiting' : (restingStates[step] ?? 'working'),
    step,
    text: words[step],
    problem: problem && {
      code: problem.code,
      text: problem.text,
      advice: advice[problem.code],
      at: new Date(problem.at).toISOString(),
    },
    next_at: toIsoString(row.next_at),
    renew_at: toIsoString(row.renew_at),
    not_after: toIsoString(row.not_after),
    history: history.map(({ at, tone, text }) => ({ at: new Date(at).toISOString(), tone, text })),
    records: records.map(({ id, name, zone, next_at: at, problem: text }) => ({
      id,
      name,
      zone,
      removing: at !== null,
      problem: text,
    })),
    revocation: revocationView(revocation),
    created_at: new Date(row.created_at).toISOString(),
    changed_at: new Date(row.changed_at).toISOString(),
  }
}

/** The serial number of a certificate, PEM. */
export const serialOf = (certificate: string): string => new X509Certificate(certificate).serialNumber

/** A revocation as the API returns it. */
function revocationView(row: RevocationRow | undefined): OrderView['revocation'] {
  if (row === undefined) return null
  const state = row.revoked_at !== null ? 'revoked' : row.next_at === null ? 'waiting' : 'due'
  return {
    state,
    reason: row.reason,
    serial_number: serialOf(row.certificate),
    problem: row.problem,
    next_at: toIsoString(row.next_at),
    requested_at: new Date(row.created_at).toISOString(),
    revoked_at: toIsoString(row.revoked_at),
  }
}

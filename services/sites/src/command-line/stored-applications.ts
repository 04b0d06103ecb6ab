import { isDeepStrictEqual } from 'node:util'
import { recordCommand } from '@hearth/accounts/security-log'
import type { Kysely } from 'kysely'
import type { AccountTables } from '../accounts/tables.ts'
import type { ApplicationPlan, PlannedApplication } from '../as-code/application-plan.ts'
import { checkClientInput } from '../openid-provider/clients/client-rules.ts'
import { allClients, insertClient, maxClients, replaceClient } from '../openid-provider/clients/clients.ts'
import { deleteClientRow } from '../openid-provider/store.ts'
import type { OpenIdProviderTables } from '../openid-provider/tables.ts'
import { conflict, Problem } from '../problems.ts'
import { problemLines } from './problem-lines.ts'

/** A database, or a transaction of one, with applications. */
export type ApplicationQuery = Kysely<AccountTables & OpenIdProviderTables>

/** An application that got a client id or a secret, which is shown this once. */
export interface NewClient {
  readonly name: string
  readonly id: string
  /** Null for a public one. */
  readonly secret: string | null
}

/** Holds the applications of a plan to the rules, with the groups that there will be. Returns the reasons against it. */
export function checkApplications({ changes, after }: ApplicationPlan, groups: ReadonlySet<string>): string[] {
  const reasons = after.length > maxClients ? [`applications: at most ${maxClients} are possible`] : []
  for (const change of changes) {
    if (change.kind === 'delete') continue
    try {
      checkClientInput(change.values, [...groups])
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      for (const line of problemLines(error)) reasons.push(`application ${change.name}: ${line}`)
    }
  }
  return reasons
}

const pasts = { create: 'added', change: 'changed', delete: 'deleted' } as const

/**
 * Makes the applications what a plan says, and notes it in the security log; deletions first. Returns those that got a client id or
 * a secret. `now` is milliseconds since the epoch. A conflict when one is no longer as it was when the plan was made.
 */
export async function writeApplications(
  trx: ApplicationQuery,
  changes: readonly PlannedApplication[],
  now: number,
): Promise<NewClient[]> {
  const present = new Map((await allClients(trx)).map((client) => [client.name, client]))
  const made: NewClient[] = []
  const inOrder = changes.toSorted((a, b) => Number(b.kind === 'delete') - Number(a.kind === 'delete'))
  for (const change of inOrder) {
    const { kind, name } = change
    if (!isDeepStrictEqual(present.get(name), kind === 'create' ? undefined : change.before))
      throw conflict(`Somebody else changed the application ${name} meanwhile`, 'changed_meanwhile')
    const secret = await write(trx, change, { now, made })
    const isSecret = secret !== undefined
    const event = { kind: isSecret ? 'token_created' : 'rights_changed', target: name } as const
    await recordCommand(trx, { ...event, detail: `application ${pasts[kind]} by a file` }, now)
  }
  return made
}

/** Writes one change. Returns its new secret; undefined for none. */
async function write(
  trx: ApplicationQuery,
  change: PlannedApplication,
  { now, made }: { readonly now: number; readonly made: NewClient[] },
): Promise<string | undefined> {
  const { name } = change
  if (change.kind === 'create') {
    const { row, secret } = await insertClient(trx, change.values, now)
    made.push({ name, id: row.id, secret })
    return secret ?? undefined
  }
  if (change.kind === 'delete') {
    await deleteClientRow(trx, change.before.id)
    return undefined
  }
  const secret = await replaceClient(trx, change.before, change.values)
  if (secret !== undefined) made.push({ name, id: change.before.id, secret })
  return secret
}

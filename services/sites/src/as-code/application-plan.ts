import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../openid-provider/clients/clients.ts'
import type { OpenIdClientValues } from '../openid-provider/schema.ts'
import { isHearthService } from './application-file.ts'

/** What is to be done with one application. */
export type PlannedApplication =
  | { readonly kind: 'create'; readonly name: string; readonly values: OpenIdClientValues }
  | {
      readonly kind: 'change'
      readonly name: string
      readonly values: OpenIdClientValues
      readonly members: readonly string[]
      readonly before: Client
    }
  | { readonly kind: 'delete'; readonly name: string; readonly before: Client }

/** A plan; the applications that the file does not have and that stay; and all that there will be. */
export interface ApplicationPlan {
  readonly changes: readonly PlannedApplication[]
  readonly unlisted: readonly string[]
  readonly after: readonly OpenIdClientValues[]
}

/**
 * Compares the applications of a file with those that are stored, by their names. A file that says nothing of applications
 * (undefined) changes none; with `prune` those that it does not have are deleted, but not other Hearth services.
 */
export function planApplications(
  file: readonly OpenIdClientValues[] | undefined,
  stored: readonly Client[],
  prune: boolean,
): ApplicationPlan {
  if (file === undefined) return { changes: [], unlisted: [], after: stored }
  const byName = new Map(stored.map((client) => [client.name, client]))
  const changes = file.flatMap((values): PlannedApplication[] => {
    const { name } = values
    const before = byName.get(name)
    if (before === undefined) return [{ kind: 'create', name, values }]
    const members = differences(before, values)
    return members.length === 0 ? [] : [{ kind: 'change', name, values, members, before }]
  })
  const named = new Set(file.map(({ name }) => name))
  const others = stored.filter(({ name }) => !named.has(name))
  const gone = prune ? others.filter((client) => !isHearthService(client)) : []
  const deletions = gone.map((before): PlannedApplication => ({ kind: 'delete', name: before.name, before }))
  const staying = others.filter((client) => !gone.includes(client))
  return {
    changes: [...changes, ...deletions],
    unlisted: staying.filter((client) => !isHearthService(client)).map(({ name }) => name),
    after: [...file, ...staying],
  }
}

function differences(before: Client, after: OpenIdClientValues): string[] {
  const old = new Map<string, unknown>(Object.entries(before))
  return Object.entries(after).flatMap(([key, value]) =>
    value === undefined || isDeepStrictEqual(value, old.get(key)) ? [] : [key],
  )
}

import { toIsoString } from '@hearth/runtime'
import type { ListRow } from '../tables.ts'
import type { ListReport } from './line-count.ts'
import type { ResolverList } from '../dns/resolver-files.ts'
import type { BlockList } from './schema.ts'

/** Reads the column `unsupported`: the number of lines of each reason, and a few examples. */
export const unsupportedOf = ({
  unsupported: reasons,
  examples,
}: Pick<ListReport, 'unsupported' | 'examples'>): string => JSON.stringify({ reasons, examples } satisfies Unsupported)

type Unsupported = { readonly reasons: ListReport['unsupported'] } & Pick<ListReport, 'examples'>

/** A stored list as the API shows it. `isFull` shows the whole address, which may hold a secret. */
export function viewOfRow(row: ListRow, isFull: boolean): BlockList {
  const { reasons, examples } = JSON.parse(row.unsupported) as Unsupported
  return {
    id: row.id,
    name: row.name,
    url: isFull ? row.url : new URL(row.url).origin,
    format: row.format,
    enabled: row.enabled === 1,
    entries: row.entries,
    unsupported: Object.values(reasons).reduce((sum, count) => sum + count, 0),
    unsupported_reasons: reasons,
    unsupported_examples: [...examples],
    last_updated: toIsoString(row.last_updated),
    last_checked: toIsoString(row.last_checked),
    last_error: row.last_error,
  }
}

/** The lists the resolver is to know: those that are enabled and have a text. */
export function resolverListsOf(rows: readonly ListRow[]): ResolverList[] {
  return rows
    .flatMap(({ number, id, name, format, sha256, enabled }) =>
      enabled === 1 && sha256 !== null ? [{ number, id, name, format, sha256 }] : [],
    )
    .sort((one, other) => one.number - other.number)
}

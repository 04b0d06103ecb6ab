import type { SiteRecord } from '../sites/schema.ts'
import { diffJson } from './config-diff.ts'

/** One member that differs. */
export interface FieldDifference {
  readonly field: string
  readonly before?: unknown
  readonly after?: unknown
}

interface Compared {
  readonly record: SiteRecord
}

/** Which members of a site differ, by their paths. */
export function diffSite(before: Compared | undefined, after: Compared | undefined): FieldDifference[] {
  return diffJson(before?.record ?? {}, after?.record ?? {}).map(({ path, ...values }) => ({
    field: path.slice(1).replaceAll('/', '.'),
    ...values,
  }))
}

import type { Database } from '@hearth/database'
import { createKeyedQueue, type Clock } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { Tables } from '../database/tables.ts'
import { invalid } from '../problems.ts'
import { readSetting, writeSetting } from '../settings/store.ts'
import type { Parameter, Selection } from './schema.ts'
import { allApprovals, replaceApprovals } from './store.ts'

/** What may be written, and what a reading without names shows: the specification's "Writing rules" 1. */
export interface Approvals {
  isApproved(name: string): boolean
  approved(): readonly string[]
  /** Metrics a reading without names answers. */
  exposed(): readonly string[]
  approve(names: readonly string[]): Promise<void>
  /** Hands back what depends on the names first, and changes nothing when that fails. */
  revoke(names: readonly string[]): Promise<void>
  select(selection: Selection): Promise<void>
  parameters(): Parameter[]
}

export interface ApprovalParts {
  readonly database: Database<Tables>
  readonly catalog: Catalog
  readonly clock: Clock
  /** Called before approvals go; rejects when something depends on them and cannot be ended. */
  readonly beforeRevoking: (names: readonly string[]) => Promise<void>
}

export async function openApprovals(parts: ApprovalParts): Promise<Approvals> {
  const { database, catalog, clock } = parts
  const db = database.query
  const queue = createKeyedQueue(64)
  let approved = new Set((await allApprovals(db)).filter((name) => catalog.allowlist.has(name)))
  const stored = await readSetting(db, 'exposed_names')
  let exposed = Array.isArray(stored)
    ? (stored as string[]).filter((name) => catalog.byName(name) !== undefined)
    : catalog.roles.preselected

  async function replace(names: ReadonlySet<string>): Promise<void> {
    const gone = [...approved].filter((name) => !names.has(name))
    if (gone.length > 0) await parts.beforeRevoking(gone)
    await replaceApprovals(db, [...names], clock.now())
    approved = new Set(names)
  }

  const change = (next: () => ReadonlySet<string>) => queue.run('approvals', () => replace(next()))

  return {
    isApproved: (name) => approved.has(name),
    approved: () => [...approved].sort(),
    exposed: () => exposed,
    async approve(names) {
      checkWritable(names, catalog)
      await change(() => new Set([...approved, ...names]))
    },
    async revoke(names) {
      checkKnown('write_names', names, catalog)
      await change(() => new Set([...approved].filter((name) => !names.includes(name))))
    },
    async select({ exposed_names: shown, write_names: writable }) {
      checkKnown('exposed_names', shown ?? [], catalog)
      checkWritable(writable ?? [], catalog)
      if (writable !== undefined) await change(() => new Set(writable))
      if (shown === undefined) return
      await writeSetting(db, 'exposed_names', [...new Set(shown)])
      exposed = [...new Set(shown)]
    },
    parameters() {
      const shown = new Set(exposed)
      return catalog.objects.map((object) => ({
        ...describe(object, catalog),
        exposed: shown.has(object.name),
        approved: approved.has(object.name),
      }))
    },
  }
}

function checkKnown(parameter: string, names: readonly string[], catalog: Catalog): void {
  const unknown = names.find((name) => catalog.byName(name) === undefined)
  if (unknown !== undefined) throw invalid(parameter, `names the unknown metric ${unknown}`)
}

function checkWritable(names: readonly string[], catalog: Catalog): void {
  checkKnown('write_names', names, catalog)
  const refused = names.find((name) => !catalog.allowlist.has(name))
  if (refused !== undefined) throw invalid('write_names', `names ${refused}, which the write allowlist does not have`)
}

function describe(object: CatalogObject, catalog: Catalog): Omit<Parameter, 'exposed' | 'approved'> {
  const rule = catalog.allowlist.get(object.name)
  const labels = object.enumLabels === undefined ? null : Object.fromEntries(object.enumLabels)
  return {
    name: object.name,
    vendor_name: object.vendorName,
    group: object.group,
    unit: object.unit,
    value_type: object.valueType,
    is_action: object.isAction,
    writable: rule !== undefined,
    minimum: rule?.minimum ?? null,
    maximum: rule?.maximum ?? null,
    allowed_values: rule?.allowed_values ?? null,
    labels,
    help_text: object.helpText ?? null,
  }
}

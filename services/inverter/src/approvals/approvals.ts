import type { Database } from '@hearth/database'
import { createKeyedQueue, type Clock } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import type { Tables } from '../tables.ts'
import { invalid } from '../problems.ts'
import { readSetting, writeSetting } from '../settings/store.ts'
import type { Parameter, Selection } from './schema.ts'
import { allApprovals, replaceApprovals } from './store.ts'

interface ApprovalDependencies {
  readonly database: Database<Tables>
  readonly catalog: Catalog
  readonly clock: Clock
  /** Runs a change that revokes approvals; rejects without it when something depends on them and cannot be ended. */
  readonly whileRevoking: (names: readonly string[], change: () => Promise<void>) => Promise<void>
}

/** Reads what is approved and shown; from then on both are read without the database. */
export async function openApprovals(dependencies: ApprovalDependencies): Promise<Approvals> {
  const { database, catalog } = dependencies
  const approved = (await allApprovals(database.query)).filter((name) => catalog.allowlist.has(name))
  const stored = await readSetting(database.query, 'exposed_names')
  const exposed = Array.isArray(stored)
    ? (stored as string[]).filter((name) => catalog.byName(name) !== undefined)
    : catalog.roles.preselected
  return new Approvals(dependencies, new Set(approved), exposed)
}

/** Metrics that may be written, and those that a reading without `names` answers. A fresh installation approves none. */
export class Approvals {
  readonly #dependencies: ApprovalDependencies
  readonly #queue = createKeyedQueue(64)
  #approved: ReadonlySet<string>
  #exposed: readonly string[]

  constructor(dependencies: ApprovalDependencies, approved: ReadonlySet<string>, exposed: readonly string[]) {
    this.#dependencies = dependencies
    this.#approved = approved
    this.#exposed = exposed
  }

  isApproved = (name: string): boolean => this.#approved.has(name)
  /** Metrics a reading without names answers. */
  exposed = (): readonly string[] => this.#exposed

  async approve(names: readonly string[]): Promise<void> {
    checkWritable(names, this.#dependencies.catalog)
    await this.#change(() => new Set([...this.#approved, ...names]))
  }

  /** Restores the devices that depend on the names first, and changes nothing when that fails. */
  async revoke(names: readonly string[]): Promise<void> {
    checkKnown('write_names', names, this.#dependencies.catalog)
    await this.#change(() => new Set([...this.#approved].filter((name) => !names.includes(name))))
  }

  async select({ exposed_names: shown, write_names: writable }: Selection): Promise<void> {
    const { catalog, database } = this.#dependencies
    checkKnown('exposed_names', shown ?? [], catalog)
    checkWritable(writable ?? [], catalog)
    if (writable !== undefined) await this.#change(() => new Set(writable))
    if (shown === undefined) return
    const next = [...new Set(shown)]
    await writeSetting(database.query, 'exposed_names', next)
    this.#exposed = next
  }

  parameters(): Parameter[] {
    const { objects, allowlist } = this.#dependencies.catalog
    const exposed = new Set(this.#exposed)
    return objects.map((object) => {
      const rule = allowlist.get(object.name)
      return {
        name: object.name,
        vendor_name: object.vendorName,
        group: object.group,
        unit: object.unit,
        value_type: object.valueType,
        is_action: object.isAction,
        exposed: exposed.has(object.name),
        approved: this.#approved.has(object.name),
        writable: rule !== undefined,
        minimum: rule?.minimum ?? null,
        maximum: rule?.maximum ?? null,
        allowed_values: rule?.allowed_values ?? null,
        labels: object.enumLabels === undefined ? null : Object.fromEntries(object.enumLabels),
        help_text: object.helpText ?? null,
      }
    })
  }

  #change(next: () => ReadonlySet<string>): Promise<void> {
    return this.#queue.run('approvals', async () => {
      const names = next()
      const gone = [...this.#approved].filter((name) => !names.has(name))
      const { database, clock, whileRevoking } = this.#dependencies
      const change = async () => {
        await replaceApprovals(database.query, [...names], clock.now())
        this.#approved = names
      }
      await (gone.length > 0 ? whileRevoking(gone, change) : change())
    })
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

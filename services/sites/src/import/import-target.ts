import type { Kysely } from 'kysely'
import type { Uploads } from '../certificates/uploads/uploads.ts'
import { Problem } from '../problems.ts'
import type { EditMany } from '../sites/bulk-edit.ts'
import type { SettleWanted } from '../sites/check-wanted.ts'
import type { FieldIssue } from '../sites/rules/rule-context.ts'
import { changedSite, type WantedSite } from '../sites/site-change.ts'
import { allDomainOwners } from '../sites/domain-store.ts'
import type { SiteTables } from '../sites/tables.ts'
import type { CreateOutcome, ImportTarget, NewSite } from './run-import.ts'

/** Dependencies of `createImportTarget`. */
export interface ImportTargetDependencies {
  readonly db: Kysely<SiteTables>
  /** Returns the rules for many sites at once. */
  readonly settleMany: () => SettleWanted
  readonly editMany: EditMany
  readonly uploads: Pick<Uploads, 'add'>
}

/** Creates the destination of imported sites: the same rules as for any site, and one change for all. */
export function createImportTarget({ db, settleMany, editMany, uploads }: ImportTargetDependencies): ImportTarget {
  return {
    async existing() {
      const known = await allDomainOwners(db)
      return {
        names: new Set(known.map(({ site_name: name }) => name.toLowerCase())),
        domains: new Map(
          known.flatMap(({ site_name: name, domains }) => domains.map((domain) => [domain, name] as const)),
        ),
      }
    },
    async createMany(sites, author) {
      const settle = settleMany()
      const settled: (WantedSite | readonly FieldIssue[])[] = []
      for (const site of sites) settled.push(await settleOne(site, settle))
      const good = settled.filter((outcome): outcome is WantedSite => 'record' in outcome)
      const put = good.map((wanted) => ({ wanted }))
      const { ids } = await editMany({ put, remove: [] }, { author, cause: 'import' })
      const numbers = new Map(good.map((wanted, index) => [wanted, ids[index] ?? 0]))
      return settled.map((outcome): CreateOutcome =>
        'record' in outcome ? { id: numbers.get(outcome) ?? 0 } : { problems: outcome },
      )
    },
    async addCertificate({ certificate, key }, name) {
      const { id } = await uploads.add({ name, kind: 'certificate', certificate, private_key: key })
      return id
    },
  }
}

async function settleOne({ input, hashes }: NewSite, settle: SettleWanted): Promise<WantedSite | FieldIssue[]> {
  try {
    const stored = { record: { basic_auth: [] }, extras: { hashes } } as unknown as WantedSite
    return await settle(await changedSite(stored, input), undefined)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { errors = [], detail } = error.body
    if (errors.length === 0) return [{ field: '', message: detail }]
    return errors.map(({ field = '', message }) => ({ field, message }))
  }
}

import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { conflict, invalidField, notFound } from '../../problems.ts'
import { dayViews, sharesOf, shownDays } from '../day-views.ts'
import { dayMs, dayOf } from '../pending-results.ts'
import { siteSubject } from '../site-targets.ts'
import { daysOf, incidentsOf } from '../store.ts'
import type { StatusPageRow, UptimeTables } from '../tables.ts'
import type { Uptime } from '../uptime.ts'
import { stateOf } from '../uptime-views.ts'
import type { MaintenanceWindows } from '../maintenance/maintenance-windows.ts'
import type { StatusPage, StatusPageCreate, StatusPageSite, StatusPageValues } from './schema.ts'
import { statusHtml, type ShownMaintenance, type ShownStatus } from './status-html.ts'
import * as store from './store.ts'

export interface StatusPagesDependencies {
  readonly db: Kysely<UptimeTables>
  readonly clock: Clock
  readonly uptime: Uptime
  readonly windows: MaintenanceWindows
  /** Returns the names of the sites that show a page. */
  readonly sitesShowing: (slug: string) => Promise<readonly string[]>
}

/** Most status pages that there may be. */
const maxPages = 20
/** Days of incidents on a page, and how many at most. */
const incidentDays = 14
const maxIncidents = 50
/** Time for which a page is shown again as it was, milliseconds: many visitors cost no more than one. */
const freshMs = 10_000

/** The status pages: their values, and what visitors see. */
export class StatusPages {
  readonly #dependencies: StatusPagesDependencies
  readonly #shown = new Map<string, { readonly html: Promise<string>; readonly at: number }>()

  constructor(dependencies: StatusPagesDependencies) {
    this.#dependencies = dependencies
  }

  async list(): Promise<StatusPage[]> {
    return (await store.allPageRows(this.#db)).map(viewOf)
  }

  async create({ slug, ...values }: StatusPageCreate): Promise<StatusPage> {
    await this.#checkSites(values)
    if ((await store.allPageRows(this.#db)).length >= maxPages)
      throw conflict(`There are ${maxPages} status pages already`)
    const now = this.#dependencies.clock.now()
    const row = { slug, ...columnsOf(values), created_at: now, updated_at: now }
    if (!(await store.insertPageRow(this.#db, row)))
      throw conflict(`There is a status page ${slug} already`, 'slug_taken')
    this.#shown.delete(slug)
    return viewOf(row)
  }

  async update(slug: string, values: StatusPageValues): Promise<StatusPage> {
    await this.#checkSites(values)
    const updated_at = this.#dependencies.clock.now()
    if (!(await store.updatePageRow(this.#db, { slug, ...columnsOf(values), updated_at })))
      throw notFound('status page')
    this.#shown.delete(slug)
    const row = await store.findPageRow(this.#db, slug)
    if (row === undefined) throw notFound('status page')
    return viewOf(row)
  }

  async remove(slug: string): Promise<void> {
    const [site] = await this.#dependencies.sitesShowing(slug)
    if (site !== undefined) throw conflict(`The site "${site}" shows this status page`, 'in_use')
    if (!(await store.deletePageRow(this.#db, slug))) throw notFound('status page')
    this.#shown.delete(slug)
  }

  /** Returns the page for a visitor; undefined when there is none for them. */
  async show(slug: string, isSignedIn: boolean): Promise<string | undefined> {
    const row = await store.findPageRow(this.#db, slug)
    if (row === undefined || (row.is_public !== 1 && !isSignedIn)) return undefined
    const now = this.#dependencies.clock.monotonic()
    const known = this.#shown.get(slug)
    if (known !== undefined && now - known.at < freshMs) return known.html
    const html = this.#status(row).then(statusHtml)
    this.#shown.set(slug, { html, at: now })
    html.catch(() => this.#shown.delete(slug))
    return html
  }

  async #status({ title, description, sites }: StatusPageRow): Promise<ShownStatus> {
    const { clock, uptime } = this.#dependencies
    // A site that was deleted is shown no more.
    const chosen = (JSON.parse(sites) as StatusPageSite[]).flatMap(({ site_id: id, name }) => {
      const site = uptime.site(id)
      return site === undefined ? [] : [{ id, name, state: stateOf(uptime, site) }]
    })
    const subjects = chosen.map(({ id }) => siteSubject(id))
    const names = new Map(chosen.map(({ id, name }) => [siteSubject(id), name]))
    await uptime.writer.flush()
    const now = clock.now()
    const days = Map.groupBy(await daysOf(this.#db, subjects, dayOf(now) - shownDays), ({ subject }) => subject)
    const since = now - incidentDays * dayMs
    const incidents = await incidentsOf(this.#db, { subjects, since, limit: maxIncidents })
    return {
      title,
      description,
      now,
      sites: chosen.map(({ id, name, state }) => {
        const rows = days.get(siteSubject(id)) ?? []
        return { name, state, days: dayViews(rows, now), uptime: sharesOf(rows, dayOf(now)).days_90 }
      }),
      incidents: incidents.map((incident) => ({
        name: names.get(incident.subject) ?? '',
        beganAt: incident.began_at,
        endedAt: incident.ended_at,
        lastedMs: incident.lasted_ms,
      })),
      maintenance: await this.#maintenance(chosen, now),
    }
  }

  /** Windows that hold or begin within a week. */
  async #maintenance(chosen: readonly { id: number; name: string }[], now: number): Promise<ShownMaintenance[]> {
    const windows = await this.#dependencies.windows.list()
    return windows.flatMap(({ site_ids: ids, next_starts_at: start, next_ends_at: end }) => {
      const names = chosen.filter(({ id }) => ids === null || ids.includes(id)).map(({ name }) => name)
      if (names.length === 0 || start === null || end === null || Date.parse(start) > now + 7 * dayMs) return []
      return [{ names, start: Date.parse(start), end: Date.parse(end) }]
    })
  }

  async #checkSites({ sites }: StatusPageValues): Promise<void> {
    for (const [index, { site_id: id }] of sites.entries())
      if ((await this.#dependencies.uptime.find(id)) === undefined)
        throw invalidField(`sites.${index}.site_id`, 'names a site that there is not')
  }

  get #db(): Kysely<UptimeTables> {
    return this.#dependencies.db
  }
}

const columnsOf = ({ title, description, is_public: isPublic, sites }: StatusPageValues) => ({
  title,
  description,
  is_public: Number(isPublic),
  sites: JSON.stringify(sites),
})

const viewOf = (row: StatusPageRow): StatusPage => ({
  slug: row.slug,
  path: `/status/${row.slug}`,
  title: row.title,
  description: row.description,
  is_public: row.is_public === 1,
  sites: JSON.parse(row.sites) as StatusPageSite[],
  created_at: new Date(row.created_at).toISOString(),
  updated_at: new Date(row.updated_at).toISOString(),
})

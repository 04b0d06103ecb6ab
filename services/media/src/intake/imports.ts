import type { Database } from '@hearth/database'
import type { MediaBus } from '../events.ts'
import type { Lists } from '../lists/lists.ts'
import type { MediaLists } from '../lists/media-lists.ts'
import { findPresent } from '../jobs/store.ts'
import { readMediaUrl, type MediaUrl } from '../platforms/media-url.ts'
import type { PlatformHosts } from '../platforms/platform-hosts.ts'
import type { UrlReader } from '../platforms/read-url.ts'
import { Problem } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { MediaIntake, Wanted } from './intake.ts'
import type { Import, ImportAnswer, ImportedUrl } from './schema.ts'

export interface ImportDependencies {
  readonly database: Database<Tables>
  readonly bus: MediaBus
  readonly hosts: PlatformHosts
  /** Reads an address, short links followed; throws a problem that says what is wrong with it. */
  readonly readUrl: UrlReader
  readonly lists: Pick<Lists, 'readUrl'>
  readonly mediaLists: Pick<MediaLists, 'find'>
  readonly intake: MediaIntake
}

/** Short links that are followed in one import: each costs a request to the platform. */
const maxShortLinks = 20

/** Takes in many addresses at once. */
export class Imports {
  readonly #dependencies: ImportDependencies

  constructor(dependencies: ImportDependencies) {
    this.#dependencies = dependencies
  }

  /** Adds what can be downloaded and is not there yet; says of each address what became of it. */
  async run({ urls, type, quality, list }: Import): Promise<ImportAnswer> {
    const titles = await this.#titlesOf(list)
    const results: ImportedUrl[] = []
    const read = await this.#readAll(urls, results)
    const wanted = read.map(({ url, media }) => {
      const title = titles.get(media.key) ?? null
      return { url, wanted: { media, title, type, quality, listId: null } satisfies Wanted }
    })
    await this.#add(wanted, results)
    const count = (outcome: ImportedUrl['outcome']) => results.filter((one) => one.outcome === outcome).length
    return {
      added: count('added'),
      duplicates: count('duplicate'),
      refused: count('refused'),
      results: inOrder(urls, results),
    }
  }

  /** Titles by media, of a list that was read before; none when it cannot be read. */
  async #titlesOf(list: string | undefined): Promise<Map<string, string | null>> {
    if (list === undefined) return new Map()
    const { lists, mediaLists } = this.#dependencies
    const found = await mediaLists.find(lists.readUrl(list)).catch(() => undefined)
    return new Map(found?.members.map(({ media, title }) => [media.key, title]))
  }

  /** Reads addresses in their order, each medium once; those that are refused go into the results. */
  async #readAll(urls: readonly string[], results: ImportedUrl[]): Promise<{ url: string; media: MediaUrl }[]> {
    const { readUrl, hosts } = this.#dependencies
    const read = new Map<string, { url: string; media: MediaUrl }>()
    let shortLinks = 0
    for (const url of urls) {
      try {
        if (isShortLink(url, hosts) && ++shortLinks > maxShortLinks)
          throw new Problem(400, `At most ${maxShortLinks} short links at once; paste the long address`)
        const media = await readUrl(url)
        if (read.has(media.key)) results.push({ url, outcome: 'duplicate', job_id: null, detail: null })
        else read.set(media.key, { url, media })
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        results.push({ url, outcome: 'refused', job_id: null, detail: error.message })
      }
    }
    return [...read.values()]
  }

  async #add(wanted: readonly { url: string; wanted: Wanted }[], results: ImportedUrl[]): Promise<void> {
    const { database, intake, bus } = this.#dependencies
    await database.query.transaction().execute(async (trx) => {
      let room = await intake.room(trx)
      const fresh: (typeof wanted)[number][] = []
      for (const one of wanted) {
        const { media, type, quality } = one.wanted
        const existing = await findPresent(trx, { media_key: media.key, type, quality })
        if (existing !== undefined)
          results.push({ url: one.url, outcome: 'duplicate', job_id: existing.id, detail: null })
        else if (room-- > 0) fresh.push(one)
        else results.push({ url: one.url, outcome: 'refused', job_id: null, detail: 'Too many downloads wait already' })
      }
      const added = await intake.add(
        trx,
        fresh.map((one) => one.wanted),
      )
      for (const one of fresh)
        results.push({
          url: one.url,
          outcome: added.has(one.wanted) ? 'added' : 'duplicate',
          job_id: null,
          detail: null,
        })
    })
    bus.publish({ type: 'lists_changed', job_id: null })
    intake.wake()
  }
}

/** Results in the order of the addresses. Of one that is there several times the last result, of its medium, comes first. */
function inOrder(urls: readonly string[], results: readonly ImportedUrl[]): ImportedUrl[] {
  const byUrl = Map.groupBy(results, ({ url }) => url)
  return urls.flatMap((url) => byUrl.get(url)?.pop() ?? [])
}

function isShortLink(url: string, hosts: PlatformHosts): boolean {
  try {
    return readMediaUrl(url, hosts).isShortLink
  } catch {
    return false
  }
}

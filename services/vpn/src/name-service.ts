import { join } from 'node:path'
import type { Database } from '@hearth/database'
import type { OpenGuarded } from '@hearth/outbound'
import type { Clock, Log } from '@hearth/runtime'
import type { Config } from './config.ts'
import type { Tables } from './database/tables.ts'
import { openFiltering, type Filtering } from './dns/filtering.ts'
import { resolverFile } from './dns/process/resolver-files.ts'
import type { RunningResolver } from './dns/process/running-resolver.ts'
import type { RuleHits } from './dns/rules/rules.ts'
import type { Publish } from './events/schema.ts'
import { createLists, type Lists } from './lists/lists.ts'
import { newestUpdate } from './lists/store.ts'
import { createQueryLog, type QueryLog } from './query-log/query-log.ts'
import type { QueryLogContext } from './query-log/routes.ts'

/** Everything around the resolver: what it goes by, its lists, and what it wrote down. */
export interface NameService {
  readonly filtering: Filtering
  readonly lists: Lists
  readonly queryLog: QueryLog
  readonly queryLogContext: QueryLogContext
  close(): Promise<void>
}

export interface NameServiceParts {
  readonly config: Config
  readonly database: Database<Tables>
  readonly log: Log
  readonly clock: Clock
  readonly resolver: RunningResolver
  /** Fetches from places an operator named, through the guard. */
  readonly open: OpenGuarded
  readonly hasTunnels: boolean
  readonly publish: Publish
}

/** Opens it; the resolver itself runs already, or comes when it can. */
export async function openNameService(parts: NameServiceParts): Promise<NameService> {
  const { config, log, clock, resolver } = parts
  const directory = join(config.dataDirectory, 'dns')
  const queryLog = createQueryLog({ file: join(directory, resolverFile.queryLog), clock })
  const filtering = await openItsFiltering(parts, directory, queryLog)
  const updated = await followUpdates(parts)
  const lists = await openItsLists(parts, directory, { filtering, updated })
  await filtering.publishLists(await lists.resolverLists()).catch((error: unknown) => {
    // Their names are known and the file is written; the resolver goes by it as soon as it runs.
    log.error({ err: error }, 'the resolver is not told of the lists')
  })
  return {
    filtering,
    lists,
    queryLog,
    queryLogContext: {
      names: filtering.names,
      now: () => clock.now(),
      purge: (before, client) => resolver.purgeLog(before, client),
      standing() {
        const { running, unavailable, blocked_names: names } = filtering.status()
        return { isRunning: running, reason: unavailable, blocklistSize: names, blocklistUpdatedAt: updated.at() }
      },
    },
    async close() {
      await lists.close()
      await filtering.close()
      await queryLog.close()
    },
  }
}

function openItsFiltering(parts: NameServiceParts, directory: string, queryLog: QueryLog): Promise<Filtering> {
  const { config, database, clock, log, resolver, hasTunnels } = parts
  return openFiltering({
    database,
    clock,
    log,
    resolver,
    directory,
    hasTunnels,
    engine: config.dnsEngine,
    extraListeners: config.dnsListen,
    listenClient: config.dnsListenClient,
    fixedUpstreams: config.dnsUpstreams,
    hits: () => hitsOf(queryLog),
    preview: (wish) => queryLog.preview(wish),
  })
}

function openItsLists(
  { database, log, open, publish }: NameServiceParts,
  directory: string,
  { filtering, updated }: { filtering: Filtering; updated: Updated },
): Promise<Lists> {
  return createLists({
    database,
    log,
    directory,
    open,
    publisher: { publish: (enabled) => filtering.publishLists(enabled) },
    schedule: () => scheduleOf(filtering),
    onProgress(report) {
      publish({ type: 'list-update', update: report })
      if (report.status === 'running') return
      publish({ type: 'changed', collection: 'blocklists', id: null })
      updated.readAgain()
    },
  })
}

/** When a list's text changed last. */
interface Updated {
  at(): number | null
  readAgain(): void
}

async function followUpdates({ database, log }: NameServiceParts): Promise<Updated> {
  const read = () => newestUpdate(database.query)
  let at = await read()
  const readAgain = async () => {
    at = await read()
  }
  return {
    at: () => at,
    readAgain: () => void readAgain().catch((error: unknown) => log.warn({ err: error }, 'lists could not be read')),
  }
}

/** A log that cannot be read does not keep anyone from the rules. */
async function hitsOf(queryLog: QueryLog): Promise<ReadonlyMap<number, RuleHits>> {
  const hits = await queryLog.ruleHits().catch(() => [])
  return new Map([...hits].map(([rule, { hits: count, lastAt }]) => [rule, { hits: count, lastHitAt: lastAt }]))
}

/** The interval of the settings; lists that were never fetched are due only when somebody chose it. */
function scheduleOf({ settings }: Filtering) {
  const hours = settings.current().blocklists_update_interval_hours
  return { hours, isChosen: settings.isStored('blocklists_update_interval_hours') }
}

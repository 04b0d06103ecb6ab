import { join } from 'node:path'
import type { DataConfig } from '../dns/loops/data-config.ts'
import type { Libc } from '../dns/sockets/libc.ts'
import { resolverFile } from '../dns/resolver-files.ts'
import type { RelayOptions } from '../dns/upstream/relay.ts'
import type { ListsInForce } from './lists-in-force.ts'
import { type LogListeners, logSettings, LogThreadHost } from './log-thread-host.ts'
import type { ActiveConfig } from './read-files.ts'
import type { UpstreamServers } from './upstream-servers.ts'

/** Dependencies of a resolver. */
export interface ResolverDependencies extends RelayOptions {
  /** With the files of `resolver-files.ts`. */
  readonly directory: string
  /** `dgram` where the settings leave it open: after the other engine killed the process. */
  readonly isCautious?: boolean
  /** Lists are compiled before it listens where none is in force yet: it does not answer before it blocks. */
  readonly isListsFirst?: boolean
  /** Queries go into a journal, from which the program of a node sends them, and not into a log. */
  readonly isJournal?: boolean | undefined
  /** Called with a warning for the operator. */
  readonly warn: (message: string) => void
  /** Called with the number of queries written to the log. */
  readonly logged?: (count: number) => void
  /** Called with what the logged queries show. */
  readonly noticed?: LogListeners['onNoticed']
}

/** Parts of a resolver that are open before it listens. */
export interface Opened {
  readonly dependencies: ResolverDependencies
  readonly libc: Libc | undefined
  readonly engineReason: string
  readonly files: ActiveConfig
  readonly lists: ListsInForce
  readonly servers: UpstreamServers
  readonly config: DataConfig
}

/** The thread that writes the query log, or the journal of a node. */
export function openLog(
  { dependencies, files }: Pick<Opened, 'dependencies' | 'files'>,
  rings: readonly SharedArrayBuffer[],
): LogThreadHost {
  const { directory, isJournal, logged, noticed, warn } = dependencies
  const file = join(directory, isJournal === true ? resolverFile.queryJournal : resolverFile.queryLog)
  return new LogThreadHost(
    { rings, file, ...logSettings(files.settings) },
    { isJournal, onWritten: (count) => logged?.(count), onNoticed: noticed, warn },
  )
}

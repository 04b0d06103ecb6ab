import type { Clock, Log } from '@hearth/runtime'
import { resolverFile } from '../../dns/resolver-files.ts'
import { type DnsFile, DnsManifest, isListText } from '../../nodes/dns/manifest.ts'
import type { Report } from '../../nodes/link-schema.ts'
import type { ResolverSupervisor } from '../../resolver/supervisor.ts'
import type { ControlLink } from '../control-link.ts'
import { describeIssue } from '../state-file.ts'
import { DnsFolder, type StoredManifest } from './dns-folder.ts'
import { FileDownloads } from './file-downloads.ts'
import type { QueryJournal } from './query-journal.ts'

/** A resolver process that is supervised. */
type Supervised = Pick<
  ResolverSupervisor,
  'attach' | 'changed' | 'changedLists' | 'changedTogether' | 'close' | 'ready' | 'restarts' | 'state'
>

export interface NodeResolverDependencies {
  /** Data directory of the node. */
  readonly directory: string
  readonly link: Pick<ControlLink, 'download'>
  readonly journal: Pick<QueryJournal, 'waiting' | 'lost' | 'lostAt'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Called when the resolver began to run, or ended. */
  readonly onChanged: () => void
  /** Starts a resolver that works from the files in a folder. */
  readonly start?: (folder: string) => Promise<Supervised>
}

/** What a running resolver does not work from yet, although it is on the disk. */
interface Pending {
  readonly isStopped: boolean
  /** Not all files are in their places yet: what is on the disk does not belong together. */
  readonly isPartial: boolean
  readonly files: boolean
  readonly lists: boolean
}

/** The resolver of this node: runs while an interface needs it, from the files on the disk, whether or not the service answers. */
export class NodeResolver {
  readonly #dependencies: NodeResolverDependencies
  readonly #folder: DnsFolder
  readonly #downloads: FileDownloads
  #resolver: Supervised | undefined
  #received: string | null = null
  #pending: Pending | undefined
  /** Reason why what the service wants is not on the disk. */
  #failure: string | undefined
  /** Reason why what is on the disk is not in force. */
  #refusal: string | undefined
  /** Lists that it works from. */
  #lists = 0
  #isClosed = false
  /** Queries that found no room on their way to the journal, and when that was seen last. */
  #overflow: { lost: number; at: number | null } = { lost: 0, at: null }

  constructor(dependencies: NodeResolverDependencies) {
    this.#dependencies = dependencies
    this.#folder = new DnsFolder(dependencies.directory)
    this.#downloads = new FileDownloads(dependencies.link)
  }

  /** Starts the resolver from what is on the disk. What is damaged there is asked for again. */
  async start(): Promise<void> {
    if (!this.#folder.isUsable) return
    const stored = await this.#folder.read()
    if (stored?.files.length === 0) {
      this.#received = stored.revision
      return
    }
    await this.#run()
    const damaged = stored === undefined ? undefined : await this.#folder.missing(stored.files)
    this.#lists = listsIn(stored?.files ?? [])
    if (stored !== undefined && damaged?.length === 0) this.#received = stored.revision
    else {
      const names = damaged?.map(({ name }) => name).join(', ') ?? 'the manifest'
      this.#dependencies.log.warn(`files of the resolver are missing or damaged and are fetched again: ${names}`)
    }
  }

  /** Revision of the last manifest that the service sent and that needs nothing more of it. */
  get received(): string | null {
    return this.#received
  }

  /**
   * Takes over what the service sent: fetches what is not there, then puts it in force. Throws when something cannot be fetched. After the
   * signal the file that is being fetched is still fetched, unless what is taken over next names it no more.
   */
  async take(revision: string, sent: unknown, signal: AbortSignal): Promise<void> {
    const { log } = this.#dependencies
    const { success, data: manifest, error } = DnsManifest.safeParse(sent)
    if (!success) {
      this.#failure = `the service wants what this version of Hearth does not understand (${describeIssue(error)}): update Hearth on the node`
      this.#received = revision
      log.error(`DNS: ${this.#failure}; what ran before goes on`)
      return
    }
    const { files } = manifest
    try {
      if (files.length > 0) await this.#install({ revision, files }, signal)
      else await this.#end({ revision, files })
    } catch (error) {
      // Something newer is fetched in its place.
      if (!signal.aborted) this.#failure = (error as Error).message
      throw error
    }
    this.#failure = undefined
    this.#lists = listsIn(files)
    this.#received = revision
    await this.retry()
    if (files.length > 0) await this.#folder.removeStrays(files)
  }

  /** The files stay, compiled lists too: when an interface needs the resolver again, it blocks from its first answer. */
  async #end(next: StoredManifest): Promise<void> {
    this.#pending = { isStopped: true, isPartial: false, files: false, lists: false }
    await this.#downloads.close()
    if (this.#folder.isUsable) await this.#folder.place([], next)
  }

  async #install(next: StoredManifest, signal: AbortSignal): Promise<void> {
    const missing = await this.#folder.missing(next.files)
    await this.#downloads.keep(this.#folder.incoming(missing))
    await this.#folder.expect(missing)
    const fetch = (file: DnsFile, path: string) => this.#downloads.fetch(file, path, signal)
    const first = this.#isBeforeLists(missing) ? missing.filter((file) => !isOfLists(file)) : []
    if (first.length > 0) {
      await this.#folder.fetch(first, fetch)
      await this.#place(first)
      await this.retry()
    }
    const rest = missing.filter((file) => !first.includes(file))
    await this.#folder.fetch(rest, fetch)
    await this.#place(rest, next)
  }

  /**
   * True when small files need not wait for texts of lists, which take long: older texts of the same lists are in force. What names a
   * new list comes into force with it.
   */
  #isBeforeLists(missing: readonly DnsFile[]): boolean {
    if (this.#resolver === undefined || this.#pending !== undefined) return false
    const texts = missing.filter(isListText)
    return texts.length > 0 && texts.every((text) => this.#folder.holds(text))
  }

  async #place(files: readonly DnsFile[], next?: StoredManifest): Promise<void> {
    const pending = {
      isStopped: false,
      files: this.#pending?.files === true || files.some((file) => !isOfLists(file)),
      lists: this.#pending?.lists === true || files.some(isOfLists),
    }
    // The next attempt does not see that files that are in their places by then are not in force. From here on the disk holds
    // nothing that the service knows by a revision.
    this.#pending = { ...pending, isPartial: true }
    this.#received = null
    await this.#folder.place(files, next)
    this.#pending = { ...pending, isPartial: false }
  }

  /** Puts what is on the disk in force, unless it is already. */
  async retry(): Promise<void> {
    const pending = this.#pending
    if (pending === undefined || pending.isPartial) return
    try {
      await this.#apply(pending)
      this.#pending = undefined
      this.#refusal = undefined
    } catch (error) {
      if (this.#isClosed) return
      const { message } = error as Error
      if (message !== this.#refusal) this.#dependencies.log.error(`the resolver did not take a change: ${message}`)
      this.#refusal = message
    }
  }

  async #apply({ isStopped, files, lists }: Pending): Promise<void> {
    if (isStopped) await this.#stop()
    else if (this.#resolver === undefined) await this.#run()
    else {
      if (files && lists) await this.#resolver.changedTogether()
      else if (files) await this.#resolver.changed('all')
      else if (lists) await this.#resolver.changedLists()
    }
    this.#dependencies.onChanged()
  }

  async #run(): Promise<void> {
    if (this.#isClosed) return
    const { start = startSupervised, log, onChanged } = this.#dependencies
    this.#resolver = await start(this.#folder.path)
    this.#resolver.attach(log, () => undefined)
    this.#resolver.ready().then(onChanged, () => undefined)
    log.info('the resolver is started')
  }

  /** How the resolver is, for reports. */
  status(): NonNullable<Report['dns']> {
    const { journal, clock } = this.#dependencies
    const state = this.#resolver?.state
    const restarts = this.#resolver?.restarts ?? 0
    const deaf = (state?.listeners ?? []).filter(({ error }) => error !== null)
    const problem =
      this.#failure ?? this.#refusal ?? deaf.map(({ address, error }) => `${address}: ${error}`)[0] ?? null
    const lost = state?.logLost ?? 0
    if (lost !== this.#overflow.lost)
      this.#overflow = { lost, at: lost > this.#overflow.lost ? clock.now() : this.#overflow.at }
    return {
      status: this.#resolver === undefined ? 'off' : state === undefined ? waitingStatus(restarts) : 'running',
      started_at: state?.startedAt ?? null,
      restarts,
      lists: this.#lists,
      blocked_names: state?.names ?? 0,
      problem,
      log: {
        waiting: journal.waiting,
        lost: journal.lost + lost,
        lost_at: journal.lostAt === null ? this.#overflow.at : Math.max(journal.lostAt, this.#overflow.at ?? 0),
      },
    }
  }

  /** Ends the resolver; its files stay. A change that it is about to take over is given up, and taken over at the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#downloads.close(), this.#stop()])
  }

  async #stop(): Promise<void> {
    const resolver = this.#resolver
    this.#resolver = undefined
    await resolver?.close()
  }
}

/** Loaded when there is something to answer. */
const startSupervised = async (folder: string): Promise<Supervised> =>
  new (await import('../../resolver/supervisor.ts')).ResolverSupervisor(folder, { isListsFirst: true, isJournal: true })

const waitingStatus = (restarts: number) => (restarts > 0 ? 'failed' : 'starting')

const isOfLists = (file: DnsFile): boolean => file.name === resolverFile.lists || isListText(file)

const listsIn = (files: readonly DnsFile[]): number => files.filter(isListText).length

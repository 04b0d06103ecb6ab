import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { EgressProxy } from './egress-proxy.ts'
import type { Ffmpeg } from './ffmpeg.ts'
import { jpegThumbnail } from './jpeg-thumbnail.ts'
import { explainDownload, MediaFailure } from './media-failure.ts'
import { infoOf, type MediaInfo } from './media-info.ts'
import { Collector, type ToolRunner } from './run-tool.ts'
import { ToolFailure } from './tool-failure.ts'
import {
  createOutputReader,
  type MediaFacts,
  readListEntries,
  type DownloadProgress,
  type ListEntry,
} from './yt-dlp-output.ts'
import {
  downloadArgs,
  listArgs,
  listMarker,
  probeArgs,
  type DownloadOptions,
  type YtDlpContext,
  type YtDlpSource,
} from './yt-dlp-args.ts'

/** Media to download, and the extractors and cookies for it. */
export interface MediaRequest {
  readonly url: string
  readonly extractors: readonly string[]
  readonly cookies?: string | undefined
  readonly signal: AbortSignal
}

/** A list of media, of which at most `max` entries are read. */
export interface ListRequest extends MediaRequest {
  readonly max: number
  readonly timeoutMs: number
  readonly directory: string
}

/** A download into `directory`, which is empty or has the remains of an earlier attempt; that is resumed. */
export interface DownloadRequest
  extends MediaRequest, Pick<DownloadOptions, 'type' | 'quality' | 'isCompatible' | 'fragments' | 'directory'> {
  readonly infoFile?: string | undefined
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly onProgress: (progress: DownloadProgress) => void
  readonly onFacts: (facts: MediaFacts) => void
}

/** A finished download. */
export interface Downloaded {
  readonly file: string
  readonly thumbnail: string | undefined
}

export interface YtDlpDependencies {
  /** Path of the version in use; read for each run, because it may change between two. */
  readonly program: () => Promise<string>
  readonly ffmpeg: string
  /** Converts a local file. */
  readonly convert: Ffmpeg['convert']
  readonly runner: ToolRunner
  /** Opens the proxy of one run; its refusals decide how a failure is reported. */
  readonly openEgress: () => Promise<EgressProxy>
  /** Empty directory, used as HOME. */
  readonly home: string
}

/** Minimum version: older ones lack options and have known vulnerabilities. */
export const minYtDlpVersion = '2025.04'
/** The first version that needs a JavaScript runtime for a player's challenges. */
const firstWithRuntime = '2025.11.12'
const gigabyte = 1024 ** 3
const maxInfoBytes = 16 * 1024 ** 2
/** Longest list that is read; what comes after it is left out. */
const maxListBytes = 8 * 1024 ** 2
const limits = { memory: 2 * gigabyte, processes: 64 }

/** Runs yt-dlp with fixed arguments, one egress proxy and hard limits. Throws `MediaFailure`. */
export class YtDlp {
  readonly #dependencies: YtDlpDependencies
  readonly #known = new Map<string, Promise<string | undefined>>()

  constructor(dependencies: YtDlpDependencies) {
    this.#dependencies = dependencies
  }

  /** `2026.08.19`; undefined when it cannot be run. */
  async version(): Promise<string | undefined> {
    return this.#versionOf(await this.#dependencies.program())
  }

  /** Version of the scripts that solve a player's challenges; undefined when this yt-dlp has none, or cannot be run. */
  async ejsVersion(): Promise<string | undefined> {
    const program = await this.#dependencies.program()
    return (await this.#readOnce('scripts', program, () => this.#readEjsVersion(program))) || undefined
  }

  async probe(request: MediaRequest & { readonly timeoutMs: number; readonly directory: string }): Promise<MediaInfo> {
    const json = new Collector(maxInfoBytes)
    await this.#runWith(request, (program, context) =>
      this.#dependencies.runner.run({
        program,
        args: probeArgs(request.url, context),
        directory: request.directory,
        environment: homeOnly(this.#dependencies.home),
        limits: { ...limits, timeoutMs: request.timeoutMs },
        signal: request.signal,
        onBytes: (chunk) => json.add(chunk),
      }),
    )
    if (json.size > maxInfoBytes) throw new MediaFailure('failed', 'the platform describes it at too great length')
    return infoOf(json.content().toString())
  }

  /** Lists the entries of a playlist or channel, at most `max`, in its order. */
  async list(request: ListRequest): Promise<ListEntry[]> {
    const output = new Collector(maxListBytes)
    await this.#runWith(request, (program, context) =>
      this.#dependencies.runner.run({
        program,
        args: listArgs(request.url, request.max, context),
        directory: request.directory,
        environment: homeOnly(this.#dependencies.home),
        limits: { ...limits, timeoutMs: request.timeoutMs },
        signal: request.signal,
        onBytes: (chunk) => output.add(chunk),
      }),
    )
    return readListEntries(output.content().toString(), listMarker).slice(0, request.max)
  }

  async download(request: DownloadRequest): Promise<Downloaded> {
    await mkdir(request.directory, { recursive: true, mode: 0o700 })
    const { infoFile } = request
    if (infoFile === undefined) return this.#downloadFrom({ url: request.url }, request)
    try {
      return await this.#downloadFrom({ infoFile }, request)
    } catch (error) {
      // What a probe found out a while ago may be stale: the addresses in it run out.
      const isStale =
        error instanceof MediaFailure && ['network', 'failed', 'removed', 'unsupported'].includes(error.code)
      if (!isStale || request.signal.aborted) throw error
      return this.#downloadFrom({ url: request.url }, request)
    }
  }

  async #downloadFrom(source: YtDlpSource, request: DownloadRequest): Promise<Downloaded> {
    const marker = `hearth-${randomBytes(12).toString('hex')}`
    const read = createOutputReader(marker, request.type === 'video' ? 2 : 1)
    const found: { path?: string } = {}
    await this.#runWith(request, (program, context) =>
      this.#dependencies.runner.run({
        program,
        args: downloadArgs({ ...context, ...request, source, marker, ffmpeg: this.#dependencies.ffmpeg }),
        directory: request.directory,
        environment: homeOnly(this.#dependencies.home),
        limits: {
          ...limits,
          timeoutMs: request.timeoutMs,
          fileSize: request.maxBytes,
          written: { measure: () => sizeOf(request.directory), max: request.maxBytes },
        },
        signal: request.signal,
        onLine(line) {
          const said = read(line)
          if (said?.kind === 'progress') request.onProgress(said.progress)
          else if (said?.kind === 'media') request.onFacts(said.facts)
          else if (said?.kind === 'file') found.path = said.path
        },
      }),
    )
    const file = await downloadedFile(request.directory, found.path)
    const { convert } = this.#dependencies
    return { file, thumbnail: await jpegThumbnail(request.directory, { convert, signal: request.signal }) }
  }

  /** Runs the work with its own egress proxy and explains its failure. */
  async #runWith(
    request: MediaRequest,
    work: (program: string, context: YtDlpContext) => Promise<unknown>,
  ): Promise<void> {
    const program = await this.#dependencies.program()
    const version = await this.#versionOf(program)
    if (version !== undefined && version < minYtDlpVersion)
      throw new MediaFailure(
        'tool_too_old',
        `it is version ${version}, and ${minYtDlpVersion} is the oldest that is used`,
      )
    const egress = await this.#dependencies.openEgress()
    try {
      const jsRuntime = version !== undefined && version >= firstWithRuntime ? process.execPath : undefined
      const { extractors, cookies } = request
      await work(program, { extractors, cookies, jsRuntime, proxy: egress.url })
    } catch (error) {
      if (!(error instanceof ToolFailure) || error.kind === 'aborted') throw error
      throw explainDownload(error, { wasRefused: egress.refused().length > 0, isOffline: egress.isOffline() })
    } finally {
      await egress.close()
    }
  }

  #versionOf(program: string): Promise<string | undefined> {
    return this.#readOnce('version', program, () => this.#readVersion(program))
  }

  /** Reads a fact about a program once, until the system puts another version in the same place. A failure is not kept. */
  async #readOnce(name: string, program: string, read: () => Promise<string | undefined>): Promise<string | undefined> {
    const key = `${name} ${program} ${(await stat(program).catch(() => undefined))?.mtimeMs}`
    const known = this.#known.get(key) ?? read()
    this.#known.set(key, known)
    const fact = await known
    if (fact === undefined) this.#known.delete(key)
    return fact
  }

  async #readVersion(program: string): Promise<string | undefined> {
    let text = ''
    try {
      await this.#inspect(program, ['--version'], (line) => (text += line))
    } catch {
      return undefined
    }
    return /^\d{4}\.\d\d\.\d\d(?:\.\d+)?$/.exec(text.trim())?.[0]
  }

  /** With `--verbose` yt-dlp lists its libraries before it fails for want of a URL. Empty when it lists no scripts. */
  async #readEjsVersion(program: string): Promise<string> {
    try {
      await this.#inspect(program, ['--no-plugin-dirs', '--no-update', '--verbose'])
      return ''
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      return /^\[debug\] Optional libraries: .*?\byt_dlp_ejs-(\d[\w.]*)/m.exec(error.output)?.[1] ?? ''
    }
  }

  #inspect(
    program: string,
    args: readonly string[],
    onLine: (line: string) => void = () => undefined,
  ): Promise<unknown> {
    return this.#dependencies.runner.run({
      program,
      args: ['--ignore-config', ...args],
      directory: '/',
      environment: homeOnly(this.#dependencies.home),
      limits: { ...limits, timeoutMs: 20_000 },
      signal: new AbortController().signal,
      onLine,
    })
  }
}

/** Returns the environment of yt-dlp: an empty home, in which it leaves nothing. */
const homeOnly = (home: string): Readonly<Record<string, string>> => ({
  HOME: home,
  XDG_CONFIG_HOME: home,
  XDG_CACHE_HOME: home,
  PYTHONDONTWRITEBYTECODE: '1',
})

/** Returns the file of a run after checking it, because exit code 0 alone is no proof. */
async function downloadedFile(directory: string, path: string | undefined): Promise<string> {
  const isOurs = path !== undefined && dirname(path) === directory && /^source\.\w{1,8}$/.test(basename(path))
  const facts = isOurs ? await lstat(path).catch(() => undefined) : undefined
  if (path === undefined || facts?.isFile() !== true || facts.size === 0) throw new MediaFailure('unsupported')
  return path
}

/** Bytes of all files in a folder. */
async function sizeOf(directory: string): Promise<number> {
  const names = await readdir(directory).catch(() => [])
  const sizes = await Promise.all(
    names.map(async (name) => (await lstat(join(directory, name)).catch(() => undefined))?.size ?? 0),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

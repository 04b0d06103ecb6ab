import type { MediaType, Quality } from '../platforms/schema.ts'

/** Context of one run of yt-dlp. */
export interface YtDlpContext {
  /** Extractors it may use; yt-dlp refuses every other. */
  readonly extractors: readonly string[]
  /** The service's proxy, the only way to the network. */
  readonly proxy: string
  /** A Netscape file for this run alone. */
  readonly cookies?: string | undefined
  /** JavaScript runtime for a player's challenges; only for versions that know the option. */
  readonly jsRuntime?: string | undefined
}

/** Source of the media: a checked address, or the result of an earlier probe. */
export type YtDlpSource = { readonly url: string } | { readonly infoFile: string }

/** Options of a download. */
export interface DownloadOptions extends YtDlpContext {
  readonly source: YtDlpSource
  readonly type: MediaType
  readonly quality: Quality
  /** Prefer what plays everywhere: H.264 and AAC in MP4. */
  readonly isCompatible: boolean
  readonly fragments: number
  /** Absolute; the files are called `source.…` and `thumbnail.…` in it. */
  readonly directory: string
  readonly ffmpeg: string
  /** Prefix of every line that the service reads. */
  readonly marker: string
}

/** Disables configuration, plug-ins, cache and commands. */
function baseArgs({ extractors, proxy, cookies, jsRuntime }: YtDlpContext): string[] {
  return [
    '--ignore-config',
    '--no-plugin-dirs',
    '--no-cache-dir',
    '--no-update',
    '--no-exec',
    '--color=never',
    `--use-extractors=${extractors.join(',')}`,
    `--proxy=${proxy}`,
    '--socket-timeout=30',
    '--retries=3',
    '--fragment-retries=3',
    '--extractor-retries=1',
    ...(jsRuntime === undefined ? [] : [`--js-runtimes=node:${jsRuntime}`]),
    ...(cookies === undefined ? [] : [`--cookies=${cookies}`]),
  ]
}

/** The same for one medium that has an end. */
function commonArgs(context: YtDlpContext): string[] {
  return [...baseArgs(context), '--no-playlist', '--playlist-items=1', '--match-filters=!is_live']
}

/** Prefix of the lines that `listArgs` has printed. */
export const listMarker = 'hearth-entry '

/** Argument array of a list: it prints a line for each entry, at most `max`, without a request for any of them. */
export function listArgs(url: string, max: number, context: YtDlpContext): string[] {
  return [
    ...baseArgs(context),
    '--yes-playlist',
    '--flat-playlist',
    '--lazy-playlist',
    `--playlist-items=1:${max}`,
    '--extractor-args=youtubetab:approximate_date',
    '--no-warnings',
    '--print',
    `${listMarker}%(.{url,title,duration,timestamp,upload_date,live_status,playlist_title})j`,
    '--',
    url,
  ]
}

/** Argument array of a probe, which prints one JSON document. */
export function probeArgs(url: string, context: YtDlpContext): string[] {
  return [...commonArgs(context), '--dump-single-json', '--no-warnings', '--', url]
}

/** Argument array of a download. */
export function downloadArgs(options: DownloadOptions): string[] {
  const { directory, marker, source } = options
  return [
    ...commonArgs(options),
    ...selection(options),
    '--downloader=dash,m3u8:native',
    `--concurrent-fragments=${options.fragments}`,
    '--newline',
    '--progress',
    '--progress-delta=0.5',
    `--progress-template=download:${marker} progress %(progress)j`,
    '--print',
    `before_dl:${marker} media %(.{title,duration,channel,uploader,view_count,track,artist,artists,album,release_date,upload_date,chapters,filesize,filesize_approx,tbr})j`,
    '--print',
    `after_move:${marker} file %(filepath)j`,
    '--write-thumbnail',
    `--output=${directory}/source.%(ext)s`,
    `--output=thumbnail:${directory}/thumbnail.%(ext)s`,
    '--no-mtime',
    `--ffmpeg-location=${options.ffmpeg}`,
    '--postprocessor-args=ffmpeg_i:-protocol_whitelist file,pipe',
    ...('infoFile' in source ? [`--load-info-json=${source.infoFile}`] : ['--', source.url]),
  ]
}

/** Height that each quality of a video aims at; the source is not fetched larger than needed. */
export const targetHeight: Readonly<Record<Quality, number | undefined>> = { max: undefined, medium: 720, small: 480 }

/** Bit rates from which a smaller MP3 is made without needless loss, kbit/s; anything when there is none. */
const audioFormat: Readonly<Record<Quality, string>> = {
  max: 'ba/b',
  medium: 'ba[abr>=112][abr<=256]/ba/b',
  small: 'ba[abr>=56][abr<=112]/ba/b',
}

function selection({ type, quality, isCompatible }: DownloadOptions): string[] {
  // Audio keeps its codec; the quality selects the bit rate where a platform offers several.
  if (type === 'audio') return [`--format=${audioFormat[quality]}`, '--extract-audio', '--audio-format=best']
  const height = targetHeight[quality]
  const limit = height === undefined ? '' : `[height<=?${height}]`
  const format = `--format=bv*${limit}+ba/b${limit}/bv*+ba/b`
  if (!isCompatible && height === undefined) return [format]
  const order = ['vcodec:h264', 'lang', 'quality', ...(height === undefined ? ['res'] : [`res:${height}`]), 'fps']
  return [format, `--format-sort=${order.join(',')},acodec:aac`, '--merge-output-format=mp4/mkv']
}

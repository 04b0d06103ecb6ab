import type { ToolFailure } from './tool-failure.ts'

/** Stable codes of failures to fetch or convert media, with their messages. */
const phrases = {
  login_required: 'The platform shows this only to signed-in users; add or renew its cookies in the settings',
  private: 'This is private',
  removed: 'This is not there, or not any more',
  geo_blocked: 'The platform does not show this in the country of this server',
  live: 'This is a live broadcast; it can be fetched when it has ended',
  too_large: 'This is larger than the settings allow',
  too_long: 'This is longer than the settings allow',
  rate_limited: 'The platform refuses more requests for now; try again in some minutes',
  bot_check: 'The platform takes this server for a robot; cookies of a signed-in account usually help',
  unsupported: 'There is no video here that can be fetched',
  tool_outdated: 'yt-dlp cannot read this page any more; update it under Settings, Tools',
  tool_too_old: 'yt-dlp is too old to be used; update it under Settings, Tools',
  tool_missing: 'A program the service needs cannot be started',
  blocked_address: 'The address leads into a private network, which is not allowed',
  storage_missing: 'The disk with the stored files is missing; mount it, then try again',
  no_room: 'The storage budget has no room for this',
  disk_full: 'There is not enough space left on the disk',
  timeout: 'It took longer than the settings allow',
  network: 'The platform cannot be reached',
  memory: 'It needed more memory than allowed',
  conversion: 'The file cannot be converted',
  failed: 'The download failed',
}

/** Stable code of a failure to fetch or convert media. */
export type MediaFailureCode = keyof typeof phrases

/** A failure to download or convert media, in a message for the person who requested it. */
export class MediaFailure extends Error {
  override readonly name = 'MediaFailure'
  readonly code: MediaFailureCode

  constructor(code: MediaFailureCode, detail?: string, cause?: unknown) {
    super(`${phrases[code]}${detail === undefined ? '' : `: ${detail}`}`.slice(0, 300), { cause })
    this.code = code
  }
}

/** Returns the failure to report for a file that a full disk did not take; other errors unchanged. */
export function orFullDisk(error: unknown): unknown {
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT' ? new MediaFailure('disk_full', undefined, error) : error
}

const offline = 'no connection could be made; check the internet connection and the DNS of this server'

/** Messages of yt-dlp with their meanings; the first that fits counts. */
const reasons: readonly (readonly [RegExp, MediaFailureCode])[] = [
  [/file too large|Errno 27/i, 'too_large'],
  [/no space left|ENOSPC|disk quota/i, 'disk_full'],
  [/not a bot|captcha|confirm you.re (?:not|human)/i, 'bot_check'],
  [/private video|is private|this account is private/i, 'private'],
  [/login|log in|sign in|logged.in|cookies|age.restricted|confirm your age|members.only/i, 'login_required'],
  [/available in your (?:country|location)|geo.?restrict|not made this video available/i, 'geo_blocked'],
  [/live event|is_live|livestream|premieres in/i, 'live'],
  [/HTTP Error 429|too many requests|rate.?limit/i, 'rate_limited'],
  [/HTTP Error (?:404|410)|removed|deleted|no longer available|video unavailable|does not exist/i, 'removed'],
  [/unsupported url|no suitable extractor|no video formats|no media found|no video could be found/i, 'unsupported'],
  // Before what yt-dlp reports as its own error: it does not check why it got no answer.
  [
    /name resolution|name or service not known|getaddrinfo|network is unreachable|no route to host|connection (?:refused|reset|aborted)|tunnel connection failed: 50[24]|timed out/i,
    'network',
  ],
  [/update to the latest|report this issue|unable to extract|nsig extraction|sabr/i, 'tool_outdated'],
  [/resolve|tunnel|network|SSL|HTTP Error/i, 'network'],
]

const byKind: Partial<Record<ToolFailure['kind'], MediaFailureCode>> = {
  timeout: 'timeout',
  memory: 'memory',
  processes: 'memory',
  bytes: 'too_large',
  missing: 'tool_missing',
}

/**
 * Returns the reason behind a failed run of yt-dlp. `wasRefused`: its proxy refused a private address; `isOffline`: connections
 * were tried, and not one was made.
 */
export function explainDownload(
  failure: ToolFailure,
  { wasRefused, isOffline }: { readonly wasRefused: boolean; readonly isOffline: boolean },
): MediaFailure {
  const code = byKind[failure.kind]
  if (code !== undefined) return new MediaFailure(code, undefined, failure)
  if (wasRefused) return new MediaFailure('blocked_address', undefined, failure)
  if (isOffline) return new MediaFailure('network', offline, failure)
  // What was tried again may have succeeded then.
  const output = failure.output.replaceAll(/^.*Retrying \(\d+\/\d+\).*$/gm, '')
  const found = reasons.find(([pattern]) => pattern.test(output))?.[1]
  if (found !== undefined && found !== 'network') return new MediaFailure(found, undefined, failure)
  return new MediaFailure(found ?? 'failed', lastError(failure.output), failure)
}

/** The reason behind a failed run of ffmpeg or ffprobe. */
export function explainConversion(failure: ToolFailure): MediaFailure {
  const code = byKind[failure.kind]
  if (code !== undefined) return new MediaFailure(code, undefined, failure)
  if (/file too large/i.test(failure.output)) return new MediaFailure('too_large', undefined, failure)
  return new MediaFailure(/no space left/i.test(failure.output) ? 'disk_full' : 'conversion', undefined, failure)
}

/** The last line yt-dlp calls an error, without its marks. */
function lastError(output: string): string | undefined {
  const lines = output.split('\n').flatMap((line) => /^ERROR: (?:\[[^\]]*\] )?(.+)$/.exec(line)?.[1] ?? [])
  // Paths of the server are not shown.
  return lines
    .at(-1)
    ?.replaceAll(/\/(?:[\w.-]+\/)+[\w.-]*/g, '…')
    .slice(0, 200)
}

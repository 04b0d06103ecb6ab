import type { Job } from '../api.ts'
import { platformNames } from './job-labels.ts'

/** The one thing to do about a failure: go somewhere, try again, or look at the page of the platform. */
export type Remedy =
  | { readonly kind: 'link'; readonly label: string; readonly href: string }
  | { readonly kind: 'retry'; readonly label: string }
  | { readonly kind: 'page'; readonly label: string; readonly href: string }

/** Help for a failure: a sentence, and the one thing to do. */
interface FailureHelp {
  text: string
  remedy: Remedy
}

/** A link; or one that depends on the job: the cookies of its platform, another try, its page on the platform. */
type RuleRemedy = { label: string; href: string } | 'cookies' | 'retry' | 'page'

interface Rule {
  /** The failure in a few words, for tables. */
  short: string
  text: string
  remedy: RuleRemedy
}

const toolUpdate = { label: 'Update yt-dlp', href: '/settings?tab=tools' }
const limits = { label: 'Raise the limits', href: '/settings' }
const tools = { label: 'Show tools', href: '/settings?tab=tools' }

/** By the code of the failure; see the media failures of the server. */
const rules: Readonly<Record<string, Rule>> = {
  login_required: {
    short: 'sign-in needed',
    text: 'Add the cookies of a browser that is signed in there, then try again.',
    remedy: 'cookies',
  },
  bot_check: {
    short: 'robot check',
    text: 'Cookies of a signed-in account usually help; otherwise wait an hour.',
    remedy: 'cookies',
  },
  private: { short: 'private', text: 'If your account may see it, add its cookies and try again.', remedy: 'cookies' },
  removed: { short: 'removed', text: 'It was deleted, or the address is not complete.', remedy: 'page' },
  geo_blocked: {
    short: 'not in this country',
    text: 'Only a server in another country could fetch it.',
    remedy: 'page',
  },
  live: { short: 'live', text: 'Try again when the broadcast has ended.', remedy: 'retry' },
  too_large: { short: 'too large', text: 'The limits can be raised.', remedy: limits },
  too_long: { short: 'too long', text: 'The limits can be raised.', remedy: limits },
  timeout: { short: 'too slow', text: 'The limits can be raised.', remedy: limits },
  memory: { short: 'too much memory', text: 'The limits can be raised.', remedy: limits },
  rate_limited: {
    short: 'too many requests',
    text: 'Downloads from there wait by themselves until it answers again.',
    remedy: { label: 'Show the wait', href: '/settings?tab=cookies' },
  },
  unsupported: {
    short: 'no video',
    text: 'Check the address: it should lead to one video or sound.',
    remedy: 'page',
  },
  tool_outdated: { short: 'yt-dlp is outdated', text: 'A newer yt-dlp usually can.', remedy: toolUpdate },
  tool_too_old: { short: 'yt-dlp is outdated', text: 'It is updated here.', remedy: toolUpdate },
  tool_missing: {
    short: 'a program is missing',
    text: 'A program is missing on the server; “hearth doctor” names it.',
    remedy: tools,
  },
  blocked_address: {
    short: 'private address',
    text: 'The service fetches from public addresses only.',
    remedy: 'page',
  },
  disk_full: {
    short: 'disk full',
    text: 'Delete old downloads, or let them expire by themselves.',
    remedy: { label: 'Set the retention', href: '/settings' },
  },
  conversion: {
    short: 'not converted',
    text: 'Trying again may help; a newer yt-dlp may bring another file.',
    remedy: 'retry',
  },
  storage_missing: {
    short: 'disk missing',
    text: 'When the disk is there again, try once more.',
    remedy: { label: 'Show the storage', href: '/settings?tab=storage' },
  },
  no_room: {
    short: 'no room',
    text: 'Raise the storage budget, or unpin or delete downloads.',
    remedy: { label: 'Show the storage', href: '/settings?tab=storage' },
  },
  network: { short: 'not reached', text: 'Often this passes; try again in a moment.', remedy: 'retry' },
}

/** A failure in a few words: `robot check`. */
export const reasonText = (code: string): string => rules[code]?.short ?? 'failed'

/** Returns the help for a failed job. */
export function helpFor(job: Pick<Job, 'message' | 'platform' | 'status' | 'error_code' | 'url'>): FailureHelp {
  const { message, status, error_code: code } = job
  if (status === 'cancelled') return { text: 'It can be taken up again at any time.', remedy: remedyOf('retry', job) }
  if (code === 'network' && /no connection could be made/.test(message ?? ''))
    return { text: 'When it is connected again, try once more.', remedy: remedyOf('retry', job) }
  const { text, remedy } = rules[code ?? ''] ?? { text: 'Trying again may help.', remedy: 'retry' as const }
  return { text, remedy: remedyOf(remedy, job) }
}

function remedyOf(remedy: RuleRemedy, { platform, url }: Pick<Job, 'platform' | 'url'>): Remedy {
  if (remedy === 'retry') return { kind: 'retry', label: 'Try again' }
  if (remedy === 'page') return { kind: 'page', label: `Look on ${platformNames[platform]}`, href: url }
  if (remedy !== 'cookies') return { kind: 'link', ...remedy }
  const label = `Add cookies of ${platformNames[platform]}`
  return { kind: 'link', label, href: `/settings?tab=cookies&platform=${platform}` }
}

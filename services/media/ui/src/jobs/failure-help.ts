import type { Job } from '../api.ts'
import { platformNames } from './job-labels.ts'

/** Help for a failure: a sentence, and the one thing to do as a link. */
interface FailureHelp {
  text: string
  link?: { label: string; href: string }
}

interface Rule {
  /** The failure in a few words, for tables. */
  short: string
  text: string
  /** `cookies` stands for a link to the cookies of the job's platform. */
  link?: FailureHelp['link'] | 'cookies'
}

const toolUpdate = { label: 'Update yt-dlp', href: '/settings?tab=tools' }
const limits = { label: 'Raise the limits', href: '/settings' }

/** By the code of the failure; see the media failures of the server. */
const rules: Readonly<Record<string, Rule>> = {
  login_required: {
    short: 'sign-in needed',
    text: 'Add the cookies of a browser that is signed in there, then try again.',
    link: 'cookies',
  },
  bot_check: {
    short: 'robot check',
    text: 'Cookies of a signed-in account usually help; otherwise wait an hour.',
    link: 'cookies',
  },
  private: { short: 'private', text: 'If your account may see it, add its cookies and try again.', link: 'cookies' },
  removed: { short: 'removed', text: 'It was deleted, or the address is not complete.' },
  geo_blocked: { short: 'not in this country', text: 'Only a server in another country could fetch it.' },
  live: { short: 'live', text: 'Try again when the broadcast has ended.' },
  too_large: { short: 'too large', text: 'The limits can be raised.', link: limits },
  too_long: { short: 'too long', text: 'The limits can be raised.', link: limits },
  timeout: { short: 'too slow', text: 'The limits can be raised.', link: limits },
  rate_limited: { short: 'too many requests', text: 'Wait an hour, then try again.' },
  unsupported: { short: 'no video', text: 'Check the address: it should lead to one video or sound.' },
  tool_outdated: { short: 'yt-dlp is outdated', text: 'A newer yt-dlp usually can.', link: toolUpdate },
  tool_too_old: { short: 'yt-dlp is outdated', text: 'It is updated here.', link: toolUpdate },
  tool_missing: {
    short: 'a program is missing',
    text: 'A program is missing on the server; “hearth doctor” names it.',
    link: { label: 'Show tools', href: '/settings?tab=tools' },
  },
  blocked_address: { short: 'private address', text: 'The service fetches from public addresses only.' },
  disk_full: {
    short: 'disk full',
    text: 'Delete old downloads, or let them expire by themselves.',
    link: { label: 'Set the retention', href: '/settings' },
  },
  no_room: {
    short: 'no room',
    text: 'Raise the storage budget, or unpin or delete downloads.',
    link: { label: 'Show the storage', href: '/settings?tab=storage' },
  },
  network: { short: 'not reached', text: 'Often this passes; try again in a moment.' },
}

/** A failure in a few words: `robot check`. */
export const reasonText = (code: string): string => rules[code]?.short ?? 'failed'

/** Returns the help for a failed job. */
export function helpFor(job: Pick<Job, 'message' | 'platform' | 'status' | 'error_code'>): FailureHelp {
  const { message, platform, status, error_code: code } = job
  if (status === 'cancelled') return { text: 'It can be taken up again at any time.' }
  if (code === 'network' && /no connection could be made/.test(message ?? ''))
    return { text: 'When it is connected again, try once more.' }
  const { text, link } = rules[code ?? ''] ?? { text: 'Trying again may help.' }
  if (link === undefined) return { text }
  const cookies = {
    label: `Add cookies of ${platformNames[platform]}`,
    href: `/settings?tab=cookies&platform=${platform}`,
  }
  return { text, link: link === 'cookies' ? cookies : link }
}

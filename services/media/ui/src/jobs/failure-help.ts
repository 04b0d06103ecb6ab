import type { Job } from '../api.ts'
import { platformNames } from './job-labels.ts'

/** Help for a failure: a sentence and a link. */
interface FailureHelp {
  text: string
  link?: { label: string; href: string }
}

interface Rule {
  pattern: RegExp
  text: string
  /** `cookies` stands for a link to the cookies of the job's platform. */
  link?: FailureHelp['link'] | 'cookies'
}

/** The server reports a failure as a sentence that begins with one of these; see its media failures. */
const rules: readonly Rule[] = [
  {
    pattern: /signed-in users/,
    text: 'Add the cookies of a browser that is signed in there, then try again.',
    link: 'cookies',
  },
  {
    pattern: /for a robot/,
    text: 'Cookies of a signed-in account usually help; otherwise wait an hour.',
    link: 'cookies',
  },
  { pattern: /is private/, text: 'If your account may see it, add its cookies and try again.', link: 'cookies' },
  { pattern: /not any more/, text: 'It was deleted, or the address is not complete.' },
  { pattern: /in the country/, text: 'Only a server in another country could fetch it.' },
  { pattern: /live broadcast/, text: 'Try again when the broadcast has ended.' },
  {
    pattern: /(?:larger|longer|took longer) than the settings allow/,
    text: 'The limits can be raised.',
    link: { label: 'Limits of downloads', href: '/settings' },
  },
  { pattern: /refuses more requests/, text: 'Wait some minutes, then try again.' },
  { pattern: /no video here/, text: 'Check the address: it should lead to one video or sound.' },
  {
    pattern: /yt-dlp cannot read/,
    text: 'A newer yt-dlp usually can.',
    link: { label: 'Update yt-dlp', href: '/settings?tab=tools' },
  },
  {
    pattern: /cannot be started/,
    text: 'A program is missing on the server; “hearth doctor” names it.',
    link: { label: 'Tools', href: '/settings?tab=tools' },
  },
  { pattern: /private network/, text: 'The service fetches from public addresses only.' },
  {
    pattern: /space left/,
    text: 'Delete old downloads, or let them expire by themselves.',
    link: { label: 'Retention', href: '/settings' },
  },
  { pattern: /no connection could be made/, text: 'When it is connected again, try once more.' },
  { pattern: /cannot be reached/, text: 'Often this passes; try again in a moment.' },
]

/** Returns the help for a failed job. */
export function helpFor({ message, platform, status }: Pick<Job, 'message' | 'platform' | 'status'>): FailureHelp {
  if (status === 'cancelled') return { text: 'It can be taken up again at any time.' }
  const rule = rules.find(({ pattern }) => pattern.test(message ?? ''))
  const { text, link } = rule ?? { text: 'Trying again may help.' }
  if (link === undefined) return { text }
  const cookies = { label: `Cookies of ${platformNames[platform]}`, href: `/settings?tab=cookies&platform=${platform}` }
  return { text, link: link === 'cookies' ? cookies : link }
}

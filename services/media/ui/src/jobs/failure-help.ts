import type { Job } from '../api.ts'
import { platformNames } from './job-labels.ts'

/** Help for a failure: a sentence and a link; `retry` says that a retry without changes makes sense. */
export interface FailureHelp {
  text: string
  link?: { label: string; href: string }
  retry: boolean
}

type Rule = readonly [pattern: RegExp, help: (job: Pick<Job, 'platform'>) => FailureHelp]

const cookies = (job: Pick<Job, 'platform'>, text: string): FailureHelp => ({
  text,
  link: { label: `Cookies of ${platformNames[job.platform]}`, href: `/settings?tab=cookies&platform=${job.platform}` },
  retry: true,
})

/** The server tells a failure as a sentence that begins with one of these; see its media failures. */
const rules: readonly Rule[] = [
  [/signed-in users/, (job) => cookies(job, 'Add the cookies of a browser that is signed in there, then try again.')],
  [/for a robot/, (job) => cookies(job, 'Cookies of a signed-in account usually help; otherwise wait an hour.')],
  [/is private/, (job) => cookies(job, 'If your account may see it, add its cookies and try again.')],
  [/not any more/, () => ({ text: 'It was deleted, or the address is not complete.', retry: false })],
  [/in the country/, () => ({ text: 'Only a server in another country could fetch it.', retry: false })],
  [/live broadcast/, () => ({ text: 'Try again when the broadcast has ended.', retry: true })],
  [
    /(?:larger|longer|took longer) than the settings allow/,
    () => ({
      text: 'The limits can be raised.',
      link: { label: 'Limits of downloads', href: '/settings' },
      retry: true,
    }),
  ],
  [/refuses more requests/, () => ({ text: 'Wait some minutes, then try again.', retry: true })],
  [/no video here/, () => ({ text: 'Check the address: it should lead to one video or sound.', retry: false })],
  [
    /yt-dlp cannot read/,
    () => ({
      text: 'A newer yt-dlp usually can.',
      link: { label: 'Update yt-dlp', href: '/settings?tab=tools' },
      retry: true,
    }),
  ],
  [
    /cannot be started/,
    () => ({
      text: 'A program is missing on the server; “hearth doctor” names it.',
      link: { label: 'Tools', href: '/settings?tab=tools' },
      retry: true,
    }),
  ],
  [/private network/, () => ({ text: 'The service fetches from public addresses only.', retry: false })],
  [
    /space left/,
    () => ({
      text: 'Delete old downloads, or let them expire by themselves.',
      link: { label: 'Retention', href: '/settings' },
      retry: true,
    }),
  ],
  [/no connection could be made/, () => ({ text: 'When it is connected again, try once more.', retry: true })],
  [/cannot be reached/, () => ({ text: 'Often this passes; try again in a moment.', retry: true })],
]

/** Returns the help for a failed job. */
export function helpFor(job: Pick<Job, 'message' | 'platform' | 'status'>): FailureHelp {
  if (job.status === 'cancelled') return { text: 'It can be taken up again at any time.', retry: true }
  const rule = rules.find(([pattern]) => pattern.test(job.message ?? ''))
  return rule === undefined ? { text: 'Trying again may help.', retry: true } : rule[1](job)
}

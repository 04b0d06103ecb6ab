import { allowAddresses, createGuardedFetch, createOutboundAllow, createOutboundPolicy } from '@hearth/outbound'
import type { Timers } from '@hearth/runtime'
import { z } from 'zod'
import type { ReleaseInfo } from './schema.ts'

/** Lifetime of a result, of a failure, and minimum interval of forced checks; milliseconds. */
const answerFor = 3_600_000
const failureFor = 60_000
const forcedEvery = 30_000

/** Timeout of the release server, milliseconds, and maximum size of its answer, bytes. */
const timeLimit = 5000
const sizeLimit = 262_144

const Release = z.object({ tag_name: z.string().max(64), html_url: z.url({ protocol: /^https?$/ }).optional() })

export interface ReleaseDependencies {
  readonly version: string
  /** Address that returns the newest release as JSON; undefined when the operator set none. */
  readonly url: string | undefined
  readonly timers: Timers
}

/** Checks for newer versions. Results are kept for an hour, failures for a minute; a forced check runs every 30 seconds at most. */
export type ReleaseCheck = ReturnType<typeof createReleaseCheck>

type Finding = Omit<ReleaseInfo, 'version' | 'cached'>

/** Creates the check. A failure never throws: it is the `error` of the result. */
export function createReleaseCheck({ version, url, timers }: ReleaseDependencies) {
  let known: { finding: Finding; at: number } | undefined
  let running: Promise<Finding> | undefined

  async function fetchFinding(address: string): Promise<Finding> {
    const checked_at = new Date(timers.now()).toISOString()
    try {
      const { tag_name: tag, html_url: url = null } = await readRelease(address)
      const latest = tag.replace(/^v/, '')
      return { latest, url, error: null, update_available: isNewer(latest, version), checked_at }
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error'
      return { latest: null, url: null, error: reason, update_available: null, checked_at }
    }
  }

  async function refresh(address: string): Promise<Finding> {
    const finding = await fetchFinding(address)
    known = { finding, at: timers.monotonic() }
    return finding
  }

  return {
    async check(force: boolean): Promise<ReleaseInfo> {
      if (url === undefined) {
        const error = 'No address of releases is set (RELEASES_URL)'
        return { version, latest: null, update_available: null, url: null, checked_at: null, cached: false, error }
      }
      const age = known === undefined ? Infinity : timers.monotonic() - known.at
      const keepFor = force ? forcedEvery : known?.finding.error === null ? answerFor : failureFor
      if (known !== undefined && age < keepFor) return { version, ...known.finding, cached: true }
      running ??= refresh(url).finally(() => (running = undefined))
      return { version, ...(await running), cached: false }
    },
  }
}

async function readRelease(address: string): Promise<z.infer<typeof Release>> {
  // The operator set the address, which allows it wherever it is; what it redirects to is not.
  const open = createGuardedFetch(createOutboundPolicy(allowAddresses(createOutboundAllow([]), [address])))
  const answer = await open(address, {
    headers: { accept: 'application/json', 'user-agent': 'hearth' },
    redirects: 3,
    timeoutMs: timeLimit,
    maxBytes: sizeLimit,
  })
  if (answer.status !== 200) throw new Error(`the server of releases answered ${answer.status}`)
  const parsed = Release.safeParse(JSON.parse(Buffer.from(answer.body).toString()))
  if (!parsed.success) throw new Error('the answer names no release')
  return parsed.data
}

/** Compares versions of numbers and dots; a version with a hyphen is a prerelease and counts as older. */
export function isNewer(candidate: string, installed: string): boolean {
  const numbers = (text: string) => (text.split('-')[0] ?? '').split('.').map((part) => Number.parseInt(part, 10) || 0)
  const [left, right] = [numbers(candidate), numbers(installed)]
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return !candidate.includes('-') && installed.includes('-')
}

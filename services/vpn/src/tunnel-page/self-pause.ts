import type { Clock } from '@hearth/runtime'
import type { Filtering } from '../filtering/filtering.ts'
import { forbidden, invalidField } from '../problems.ts'
import type { Peer } from '../peers/schema.ts'
import type { Settings } from '../settings/schema.ts'

/** Minutes that the page offers. */
const offered = [5, 15, 60]

const minute = 60_000

/** The filter of a device. */
export interface FilterView {
  readonly state: 'on' | 'off' | 'paused-for-all' | 'paused-profile' | 'paused'
  /** End of the pause that holds, milliseconds since the epoch. */
  readonly until: number | null
  /** Name of the profile that holds; null for none. */
  readonly profile: string | null
  readonly next: { readonly at: number; readonly profile: string | null } | null
  /** When an administrator ended a pause of the device before its time, milliseconds since the epoch; null for none. */
  readonly endedAt: number | null
  /** Minutes for which the device may pause its filter; none when it may not. */
  readonly pauses: readonly number[]
}

interface FilterViewDependencies {
  readonly filtering: Pick<Filtering, 'settings' | 'profiles' | 'pauses'>
  readonly selfPause: SelfPause
}

/** Reads how a device is filtered now, and what comes next. */
export async function readFilterView(
  { filtering, selfPause }: FilterViewDependencies,
  peer: Pick<Peer, 'id' | 'use_adblocker'>,
  now: number,
): Promise<FilterView> {
  const { holds, paused_until: profileUntil, next } = await filtering.profiles.ofPeer(peer.id)
  const { blocking_enabled: isOn, pausedUntil: untilForAll } = filtering.settings.current()
  const own = filtering.pauses.until(peer.id)
  const shared = {
    profile: holds?.name ?? null,
    next: next && { at: Date.parse(next.at), profile: next.profile?.name ?? null },
    pauses: [] as readonly number[],
    endedAt: filtering.pauses.endedAt(peer.id),
  }
  if (!isOn || !peer.use_adblocker) return { ...shared, state: 'off', until: null }
  if (own !== null) return { ...shared, state: 'paused', until: own }
  if (untilForAll > now) return { ...shared, state: 'paused-for-all', until: untilForAll }
  if (profileUntil !== null) return { ...shared, state: 'paused-profile', until: Date.parse(profileUntil) }
  return { ...shared, state: 'on', until: null, pauses: pausesWithin(await selfPause.minutes(peer.id)) }
}

const pausesWithin = (most: number): number[] => {
  const within = offered.filter((minutes) => minutes <= most)
  return within.length === 0 && most > 0 ? [most] : within
}

/** Dependencies of `SelfPause`. */
export interface SelfPauseDependencies {
  readonly clock: Clock
  readonly filtering: Pick<Filtering, 'profiles' | 'pauses'>
  readonly settings: () => Settings
}

/** Pauses that people make of the filter of their own device. */
export class SelfPause {
  readonly #dependencies: SelfPauseDependencies

  constructor(dependencies: SelfPauseDependencies) {
    this.#dependencies = dependencies
  }

  /** Minutes for which a peer may pause its filter now: as the profile says that holds, or as the settings do. */
  async minutes(id: string): Promise<number> {
    return (await this.#limits(id)).now
  }

  /** Pauses the filter of a peer; never into the time of a profile that allows less. Throws a `Problem` when it may not. */
  async pause(id: string, minutes: number): Promise<void> {
    const limits = await this.#limits(id)
    if (limits.now === 0) throw forbidden('You may not pause the filter of this device')
    if (!pausesWithin(limits.now).includes(minutes))
      throw invalidField('minutes', `You may pause the filter for at most ${limits.now} minutes`)
    const until = this.#dependencies.clock.now() + minutes * minute
    const { next } = limits
    const end = next !== null && next.minutes < minutes ? Math.min(until, next.at) : until
    await this.#dependencies.filtering.pauses.pause(id, end)
  }

  async #limits(id: string) {
    const { profiles } = this.#dependencies.filtering
    const { holds, next } = await profiles.ofPeer(id)
    return {
      now: await this.#minutesOf(holds?.id),
      next: next && { at: Date.parse(next.at), minutes: await this.#minutesOf(next.profile?.id) },
    }
  }

  async #minutesOf(profile: string | undefined): Promise<number> {
    if (profile === undefined) return this.#dependencies.settings().tunnel_page_pause_minutes
    return (await this.#dependencies.filtering.profiles.get(profile)).self_pause_minutes
  }
}

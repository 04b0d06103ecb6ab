import type { LoadedProfile } from './loaded-profile.ts'
import { named } from './loaded-profile.ts'
import type { ExplainedProfile, PeerDnsProfile } from './schema.ts'

/** Says which profile holds for a peer and why; null when it has none. `holds` is the one that the resolver goes by. */
export function explainedProfile(
  { name }: { readonly name: string },
  profile: PeerDnsProfile,
  holds: LoadedProfile | undefined,
): ExplainedProfile | null {
  const { assigned, by, via, next } = profile
  if (assigned === null) return null
  const pausedUntil = holds?.id === profile.holds?.id ? profile.paused_until : null
  const reason = by === 'peer' ? '' : ` by its ${by === 'group' ? 'group' : 'interface'} ${via ?? ''}`
  return {
    assigned,
    by: by ?? 'peer',
    via,
    holds: named(holds),
    paused_until: pausedUntil,
    next,
    because: `${name} is in the profile ${assigned.name}${reason}${holdingText(assigned.id, holds, pausedUntil !== null)}`,
  }
}

function holdingText(assigned: string, holds: LoadedProfile | undefined, isPaused: boolean): string {
  if (holds === undefined) return '; it is outside its times, so the settings for all devices hold'
  const paused = isPaused ? `${holds.id === assigned ? ', which' : ', and that'} is paused` : ''
  if (holds.id === assigned) return paused
  return `; it is outside its times, so the profile ${holds.name} holds${paused}`
}

import { formatCount, type Tone } from '@hearth/ui'
import type { Site } from '../sites/site.ts'
import type { VpnLink } from './read-link.ts'

/** Labels of who reaches a site. */
export const reachNames: Readonly<Record<Site['reach'], string>> = {
  everyone: 'Everyone',
  home: 'Home and VPN',
  tunnel: 'VPN only',
}

/** Labels of which sites get records. */
export const recordNames: Readonly<Record<VpnLink['records'], string>> = {
  all: 'All sites',
  limited: 'Only sites that are not for everyone',
  none: 'No sites',
}

/** The state of the link, for its badge. */
export function linkState(link: Pick<VpnLink, 'state' | 'waiting_count' | 'conflict_count'>): {
  tone: Tone
  text: string
} {
  switch (link.state) {
    case 'unlinked':
      return { tone: 'quiet', text: 'Not linked' }
    case 'failing':
      return { tone: 'bad', text: 'Not in step' }
    case 'waiting':
      return { tone: 'accent', text: 'Waiting' }
    case 'in_step':
      return link.conflict_count === 0
        ? { tone: 'good', text: 'In step' }
        : { tone: 'warn', text: formatCount(link.conflict_count, 'conflict') }
  }
}

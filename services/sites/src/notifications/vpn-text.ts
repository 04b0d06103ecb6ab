import type { VpnProblem } from '../vpn-link/record-sync.ts'

const place = 'Settings → Inside and outside'

const titles: Readonly<Record<VpnProblem['kind'], string>> = {
  away: 'Hearth VPN is away',
  busy: 'Hearth VPN takes no requests',
  token: 'Hearth VPN refuses the token',
  version: 'Hearth VPN is too old',
  address: 'Hearth VPN cannot be used',
  internal: 'Names of sites cannot be kept in Hearth VPN',
}

const remedies: Readonly<Record<VpnProblem['kind'], string>> = {
  away: 'Check whether it runs, and whether this machine reaches it.',
  busy: 'Others use up the requests of the user of the token. Give this service a token of a user of its own.',
  token: `Make a token with the permissions full in the VPN under Profile, and enter it under ${place}.`,
  version: '',
  address: `Check the address under ${place}.`,
  internal: 'The log of the service says why.',
}

/** The message that the linked VPN does not work: what is wrong, what to do, and what holds meanwhile. */
export function vpnText({ kind, message }: VpnProblem): { readonly title: string; readonly text: string } {
  const meanwhile =
    'Until it works again, changed names of sites do not reach devices inside, and the networks known last count.'
  return { title: titles[kind], text: [message, remedies[kind], meanwhile].filter((part) => part !== '').join(' ') }
}

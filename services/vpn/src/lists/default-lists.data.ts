/** A list that a new install knows. */
export interface DefaultList {
  readonly name: string
  readonly url: string
  readonly isEnabled: boolean
}

const hagezi = 'https://raw.githubusercontent.com/hagezi/dns-blocklists/main/adblock'

/**
 * Lists many people use. One is switched on: it is made not to break pages. None is fetched before an administrator updates the
 * lists for the first time.
 */
export const defaultLists: readonly DefaultList[] = [
  { name: 'HaGeZi Normal', url: `${hagezi}/multi.txt`, isEnabled: true },
  { name: 'HaGeZi Light', url: `${hagezi}/light.txt`, isEnabled: false },
  { name: 'HaGeZi Pro', url: `${hagezi}/pro.txt`, isEnabled: false },
  { name: 'HaGeZi Threat Intelligence', url: `${hagezi}/tif.txt`, isEnabled: false },
  { name: 'StevenBlack', url: 'https://raw.githubusercontent.com/StevenBlack/hosts/master/hosts', isEnabled: false },
  { name: 'OISD small', url: 'https://small.oisd.nl/', isEnabled: false },
  { name: 'OISD big', url: 'https://big.oisd.nl/', isEnabled: false },
  {
    name: 'AdGuard DNS filter',
    url: 'https://adguardteam.github.io/AdGuardSDNSFilter/Filters/filter.txt',
    isEnabled: false,
  },
]

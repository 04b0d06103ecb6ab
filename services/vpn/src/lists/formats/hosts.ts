import { isIP } from 'node:net'
import { readDomain } from '../domain-name.ts'
import { comment, Cover, plainBlock, unsupported, type Rule } from './rule.ts'

/** Names every hosts file has, and which are about the machine itself. */
const isLocal = (name: string): boolean =>
  /^(localhost|localhost[46]?\.localdomain[46]?|localhost[46]|local|broadcasthost|ip6-[a-z]+|0\.0\.0\.0|[a-z.-]*\.?localdomain)$/i.test(
    name,
  )

/** Returns true if an address in a hosts file stands for nowhere, so that its names are blocked. */
export const isNowhere = (address: string): boolean =>
  address === '0' ||
  /^(0\.0\.0\.0|127(\.\d{1,3}){3}|::1?|0*(:0*){7}[01]?|::ffff:(0\.0\.0\.0|127(\.\d{1,3}){3}))$/i.test(address)

/** Returns true if a line has the shape of a hosts file's. */
export const isHostsLine = (words: readonly string[]): boolean =>
  words.length > 1 && (isIP(words[0]!.replace(/%.*$/, '')) !== 0 || words[0] === '0')

/** `0.0.0.0 name another`: exactly these names. */
export function readHosts(words: readonly string[]): Rule {
  const [address = '', ...given] = words
  const others = given.filter((name) => !isLocal(name))
  if (others.length === 0) return comment
  if (!isNowhere(address.replace(/%.*$/, ''))) return unsupported('leads elsewhere')
  const readings = others.map(readDomain)
  const names = readings.flatMap((reading) => ('name' in reading ? [reading.name] : []))
  if (names.length === 0) return unsupported(readings.flatMap((r) => ('reason' in r ? [r.reason] : []))[0] ?? 'empty')
  return { kind: 'names', names, cover: Cover.itself, weight: plainBlock, key: words.join(' ').toLowerCase() }
}

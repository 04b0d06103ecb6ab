import { readName } from '../domain-name.ts'
import { isNowhere } from './hosts.ts'
import { Cover, plainBlock, unsupported, type Rule } from './rule.ts'

const shape = /^(local|address|server)=\/(.*)\/([^/]*)$/i

/** Returns true if a line has the shape of dnsmasq's settings. */
export const isDnsmasqLine = (line: string): boolean => /^(local|address|server)=\//i.test(line)

/** `address=/d/`, `local=/d/`, `server=/d/`: d and everything below, when nothing or nowhere is given as the target. */
export function readDnsmasq(line: string): Rule {
  const [, word = '', domains = '', target = ''] = shape.exec(line) ?? []
  if (domains === '') return unsupported('not a domain name')
  const isBlock = target === '' || (word.toLowerCase() === 'address' && (target === '#' || isNowhere(target)))
  if (!isBlock) return unsupported('leads elsewhere')
  const readings = domains.split('/').map(readName)
  const names = readings.flatMap((reading) => ('name' in reading ? [reading.name] : []))
  if (names.length === 0) return unsupported('not a domain name')
  if (names.some((name) => !name.includes('.'))) return unsupported('single label')
  return { kind: 'names', names, cover: Cover.both, weight: plainBlock, key: line.toLowerCase() }
}

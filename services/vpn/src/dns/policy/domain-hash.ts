import { wireName } from '../wire/wire-name.ts'
import { type NameSeeds, finish, step1, step2 } from './name-hash.ts'

/** The finished lanes of a domain name in text form, as `findName` wants them; undefined for what is no domain name. */
export function hashDomain(
  domain: string,
  seeds: NameSeeds,
): { readonly lane1: number; readonly lane2: number } | undefined {
  const name = wireName(domain)
  if (name === undefined) return undefined
  const starts: number[] = []
  for (let at = 0; name[at] !== 0; at += name[at]! + 1) starts.push(at)
  let [lane1, lane2] = [seeds.first, seeds.second]
  for (const start of starts.toReversed()) {
    for (let at = start; at <= start + name[start]!; at++) {
      lane1 = step1(lane1, name[at]!)
      lane2 = step2(lane2, name[at]!)
    }
  }
  return { lane1: finish(lane1), lane2 }
}

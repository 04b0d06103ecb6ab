import { readDomain } from '../../sites/domains.ts'
import type { Directive } from './nginx-directives.ts'
import { isToHttps } from './read-location.ts'

/** One server while it is read. */
export interface Server {
  readonly directive: Directive
  readonly block: readonly Directive[]
  readonly names: readonly string[]
  readonly isSecure: boolean
  /** True where it does nothing but lead to HTTPS. */
  readonly onlyRedirects: boolean
  /** The addresses it listens at, where it does so at those alone. */
  readonly onlyAt: readonly string[]
}

/** Addresses of all interfaces at the ports that sites are served on. */
const everywhere = /^((80|443)|(\*|0\.0\.0\.0|\[::\])(:(80|443))?)$/

/** Reads what a server is asked for by. */
export function readServer(directive: Directive, leftOut: (what: string) => void): Server {
  const block = directive.block ?? []
  const given = block.flatMap(({ name, words }) => (name === 'server_name' ? words : []))
  const found = given.flatMap((name) => {
    const reading = readDomain(name)
    if ('domain' in reading) return [reading.domain]
    if (name !== '_' && name !== '') leftOut(`the name ${name.slice(0, 100)}, which is no domain`)
    return []
  })
  const names = [...new Set(found)]
  const listens = block.filter(({ name }) => name === 'listen')
  const isSecure = listens.some(
    ({ words: [address = '', ...rest] }) => /(^|:)443$/.test(address) || rest.includes('ssl'),
  )
  const addresses = listens.map(({ words: [address = ''] }) => address)
  const isEverywhere = addresses.some((address) => everywhere.test(address))
  return {
    directive,
    block,
    names,
    isSecure,
    onlyRedirects: !isSecure && leadsToHttps(block, names),
    onlyAt: isEverywhere ? [] : addresses,
  }
}

/** True for a server that only leads to HTTPS, beside proving its domains. */
export function leadsToHttps(block: readonly Directive[], names: readonly string[]): boolean {
  const inner = block.flatMap((one) => {
    if (one.name === 'location' && one.words.at(-1)?.startsWith('/.well-known/') === true) return []
    return one.name === 'if' || one.name === 'location' ? (one.block ?? []) : [one]
  })
  return (
    inner.some((one) => isToHttps(one, names)) && !inner.some(({ name }) => name === 'proxy_pass' || name === 'root')
  )
}

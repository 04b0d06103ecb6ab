import type { SiteInput } from '../config/read-config.ts'
import type { Directive } from './nginx-directives.ts'

/** Networks of a server. Of its rules nginx takes the first that a visitor meets. */
export function accessOf(block: readonly Directive[], changed: (what: string) => void): Pick<SiteInput, 'access'> {
  const given = block.flatMap(({ name, words: [network = ''] }) =>
    name === 'allow' || name === 'deny' ? [{ name, network }] : [],
  )
  // Everyone meets a rule for all, so those after it are never asked.
  const end = given.findIndex(({ network }) => network === 'all')
  const rules = end === -1 ? given : given.slice(0, end)
  const isClosed = given[end]?.name === 'deny'
  const of = (wanted: string) => rules.flatMap(({ name, network }) => (name === wanted ? [network] : []))
  const [allow, deny] = [of('allow'), of('deny')]
  if (isClosed && allow.length === 0) return { access: { deny: ['0.0.0.0/0', '::/0'] } }
  const firstAllow = rules.findIndex(({ name }) => name === 'allow')
  if (firstAllow !== -1 && rules.slice(firstAllow).some(({ name }) => name === 'deny'))
    changed('networks that are denied are refused also where an earlier rule allowed them')
  return { access: { allow: isClosed ? allow : [], deny } }
}

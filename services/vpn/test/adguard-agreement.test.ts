import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decider } from '../src/dns/policy/decide.ts'
import { explain } from '../src/dns/policy/explain.ts'
import { buildPolicy, openPolicy, type Policy } from '../src/dns/policy/policy.ts'
import { Status } from '../src/dns/policy/verdict.ts'
import { compileLists } from '../src/lists/compile-lists.ts'
import { typeNumber } from '../src/dns/wire/code-names.ts'
import { askedClients, comparedLists, drawQuestions, listTexts, recordedDecisions } from './adguard-questions.ts'
import { nameOf } from './dns-messages.ts'

const texts = listTexts()

/** A policy with these lists. */
function policyWith(names: readonly string[]): Policy {
  const all: Readonly<Record<string, string>> = texts
  const lists = names.map((id, number) => ({ number, id, name: id, format: 'auto' as const, sha256: '' }))
  const { bundle } = compileLists(lists, ({ id }) => new TextEncoder().encode(all[id]))
  const clients = askedClients.map(({ number, name, address }) => ({
    number,
    name,
    addresses: [address],
    filtering: true,
    lists: null,
    logging: true,
  }))
  const settings = { blockingEnabled: true, pausedUntil: 0, forwardedZones: [] }
  return openPolicy(buildPolicy({ bundle: bundle.memory, clients, rules: [], settings }))
}

/** A disagreement, as the rules that explain one see it. */
interface Disagreement {
  readonly name: string
  /** The client's number. */
  readonly client: number
  /** Decision of Hearth, with the entry and list that decided; the entry is empty when nothing matches. */
  readonly ours: string
  readonly by: string
  readonly list: string
  readonly modifiers: readonly string[]
}

/** Reasons why Hearth decides differently. The first that holds explains a disagreement. */
const explanations: readonly { readonly why: string; readonly holds: (found: Disagreement) => boolean }[] = [
  {
    why: 'a list of domains means what is below them, too; AdGuard takes its plain lines for hosts lines',
    holds: ({ ours, list, by, name }) => ours === 'blocked' && list === 'stevenblack.domains' && by !== `||${name}^`,
  },
  {
    why: 'this engine takes a plain name for a part of any name (AdGuard Home and Hearth do not)',
    holds: ({ ours, name }) => ours === 'allowed' && partsOf(name).some((part) => plainNames.has(part)),
  },
  {
    why: 'a rewrite to an address is an answer and no block; this engine only says that a rule matches',
    holds: ({ ours, modifiers, by }) => ours === 'allowed' && modifiers.includes('dnsrewrite') && !by.startsWith('@@'),
  },
  {
    why: 'a rule that only excludes tags holds for clients without tags, as in AdGuard Home; this engine skips it for them',
    holds: ({ ours, by }) => ours === 'blocked' && by.includes('$ctag=~'),
  },
  {
    why: 'a client in an excluded network is excluded, as in AdGuard Home; this engine goes by its name when it has one',
    holds: ({ name, client }) => client !== 3 && namesWith('$client=~10.8.0.0/24').some((each) => isWithin(name, each)),
  },
  {
    why: 'this engine takes no host name that begins with a hyphen',
    holds: ({ ours, name }) => ours === 'blocked' && name.startsWith('-'),
  },
]

/** The names of the rules with this modifier. */
const namesWith = (modifier: string): string[] =>
  texts['modifiers.adblock']
    .split('\n')
    .filter((line) => line.endsWith(modifier))
    .map((line) => line.replace(/^(@@)?\|\|/, '').replace(/\^.*/, ''))

const isWithin = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`)

const plainNames: ReadonlySet<string> = new Set(texts['stevenblack.domains'].split('\n'))

/** All stretches of a name. */
const partsOf = (name: string): string[] =>
  Array.from({ length: name.length }, (_, k) => k).flatMap((k) =>
    Array.from({ length: name.length - k }, (__, length) => name.slice(k, k + length + 1)),
  )

test('28,000 decisions over published lists match AdGuard’s engine or are explained', (context) => {
  const policy = policyWith(comparedLists)
  const decider = new Decider()
  const recorded = recordedDecisions()
  const questions = drawQuestions()
  assert.equal(recorded.length, 28_000)
  assert.equal(questions.length, recorded.length)
  const reasons = new Map<string, number>()
  const unexplained: string[] = []
  for (const [k, { name, type, client }] of questions.entries()) {
    const line = `${name}\t${type}\t${client.number}`
    const [theirs = ''] = recorded[k]!.slice(line.length + 1).split('\t')
    assert.equal(recorded[k], `${line}\t${theirs}`, 'the questions are those that were recorded')
    decider.type = typeNumber(type)!
    decider.decide(policy, nameOf(name), client.number, false, null)
    const ours = decider.status === Status.blocked ? 'blocked' : 'allowed'
    if (ours === theirs) continue
    const { matches } = explain(policy, { domain: name, client: client.number, type: decider.type, now: 0 })
    const deciding = matches.find((match) => match.isDeciding)
    const found: Disagreement = {
      name,
      client: client.number,
      ours,
      by: deciding?.text ?? '',
      list: deciding === undefined ? '' : comparedLists[deciding.source]!,
      modifiers: deciding?.modifiers ?? [],
    }
    const why = explanations.find(({ holds }) => holds(found))?.why
    if (why === undefined) unexplained.push(`${line}: theirs ${theirs}, ours ${JSON.stringify(found)}`)
    else reasons.set(why, (reasons.get(why) ?? 0) + 1)
  }
  for (const [why, count] of reasons) context.diagnostic(`${count} × ${why}`)
  assert.deepEqual(unexplained.slice(0, 20), [], `${unexplained.length} decisions are not explained`)
})

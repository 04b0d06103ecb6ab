import { AnswerCache } from '../src/dns/answer-cache.ts'
import { Engine } from '../src/dns/engine.ts'
import { type Answered, Outcome } from '../src/dns/outcome.ts'
import { hashDomain } from '../src/dns/policy/domain-hash.ts'
import { assembleBundle } from '../src/dns/policy/list-bundle.ts'
import { Meaning, createClasses, meanings } from '../src/dns/policy/membership.ts'
import { buildPolicy, openPolicy } from '../src/dns/policy/policy.ts'
import { insertName, tableBits } from '../src/dns/policy/suffix-table.ts'
import { aRecord, cname } from '../test/dns-engines.ts'
import { encodeMessage } from '../test/dns-messages.ts'
import { clientOf, plainSettings, ruleOf } from '../test/dns-policies.ts'

/**
 * `npm run bench -- vpn/dns-engine [NAMES]`: nanoseconds of one thread for a query, without any socket: 1,000,000 listed names,
 * 1000 clients, 1000 rules. Prints and judges nothing; `dns-performance.md` wants 1000 at most for the mix.
 */
const listed = Number(process.argv[2] ?? 1_000_000)
const seeds = { first: 0x1357_9bdf, second: 0x2468_ace0 }
const rounds = 7

function bundle() {
  const classes = createClasses()
  const bits = tableBits(listed)
  const table = { words: new Uint32Array(2 * 2 ** bits), bits, seeds }
  const both = classes.combine(classes.single(Meaning.blocks, 0), classes.single(Meaning.blocks + Meaning.below, 0))
  for (let k = 0; k < listed; k++) {
    insertName(table, { ...hashDomain(`ads${k}.tracker-${k % 997}.example`, seeds)!, class: both }, (one) => one)
  }
  const lists = [{ number: 0, id: 'list-0', name: 'Bench', sha256: '', format: 'domains' }]
  const words = classes.words.slice(0, classes.count() * meanings)
  return assembleBundle({ table, classes: words, patterns: new Int32Array(0), names: listed, lists })
}

const clients = Array.from({ length: 1000 }, (_, k) => clientOf(k + 1, { addresses: [`10.9.${k >> 8}.${k & 255}`] }))
const rules = Array.from({ length: 1000 }, (_, k) => ruleOf(`block rule${k}.example`, k % 2 === 0 ? 0 : 2 * k + 2001))
const policy = openPolicy(
  buildPolicy({
    bundle: bundle().memory,
    clients,
    rules,
    settings: { blockingEnabled: true, pausedUntil: 0, forwardedZones: [] },
  }),
)
const engine = new Engine({ policy, cache: new AnswerCache(16_384), settings: plainSettings })
engine.now = 1_790_000_000_000
engine.out = new Uint8Array(4096)

const edns = { size: 1232 }
const queriesOf = (name: (k: number) => string, count: number) =>
  Array.from({ length: count }, (_, k) => encodeMessage({ name: name(k), edns }))
const popular = queriesOf((k) => `www.popular-site-${k}.example`, 5000)
const cloaked = queriesOf((k) => `cdn.popular-site-${k}.example`, 1000)
const blocked = queriesOf(
  (k) => `${k % 3 === 0 ? 'pixel.' : ''}ads${(k * 7919) % listed}.tracker-${((k * 7919) % listed) % 997}.example`,
  20_000,
)
const fresh = queriesOf((k) => `never-asked-${k}.example`, 50_000)

const u = new Uint8Array(300)
const answer = new Uint8Array(1024)
const answered: Answered = {
  query: answer,
  queryAt: 0,
  queryLength: 0,
  client: 0,
  answer,
  answerAt: 0,
  answerLength: 0,
}

/** The way of a query that no one has an answer to: asked, sent, answered, kept, passed on. */
function forward(query: Uint8Array, records: Uint8Array, count: number): void {
  const sent = engine.writeUpstream(u, 0, 7)
  const end = sent - 11
  for (let k = 0; k < end; k++) answer[k] = u[k]!
  answer[2] = 0x81
  answer[3] = 0x80
  answer[7] = count
  answer[11] = 0
  for (let k = 0; k < records.length; k++) answer[end + k] = records[k]!
  engine.route.sentScope = engine.route.scope
  if (!engine.accept(answer, 0, end + records.length, u, 0)) throw new Error('not accepted')
  answered.query = query
  answered.queryLength = query.length
  answered.client = 7
  answered.answerLength = end + records.length
  engine.finish(answered)
}

const oneA = encodeMessage({ answers: [aRecord('www.popular-site.example', [203, 0, 113, 1], 86_400)] }).subarray(12)
const chain = encodeMessage({
  answers: [cname('cdn.example', 'edge.cdn.example', 86_400), aRecord('edge.cdn.example', [203, 0, 113, 1], 86_400)],
}).subarray(12)

function run(queries: readonly Uint8Array[], times: number, records: Uint8Array, count: number): number {
  // Of the processor's time: what else runs on the machine counts less.
  const begin = process.cpuUsage()
  for (let k = 0; k < times; k++) {
    const query = queries[k % queries.length]!
    if (engine.handleQuery(query, 0, query.length, 7) === Outcome.forward) forward(query, records, count)
  }
  const { user, system } = process.cpuUsage(begin)
  return ((user + system) * 1000) / times
}

const mix = Array.from({ length: 50_000 }, (_, k) =>
  k % 10 < 7 ? popular[(k * k) % 5000]! : k % 10 < 9 ? blocked[k % 20_000]! : fresh[k]!,
)
for (const [name, queries, times, clears, records, count] of [
  ['cached', popular, 500_000, false, oneA, 1],
  ['cached, with a CNAME', cloaked, 500_000, false, chain, 2],
  ['blocked', blocked, 500_000, false, oneA, 1],
  ['forwarded and kept', fresh, 50_000, true, oneA, 1],
  ['mix 70/20/10', mix, 50_000, true, oneA, 1],
] as const) {
  const taken: number[] = []
  for (let round = 0; round <= rounds; round++) {
    if (clears) engine.cache.clear()
    if (clears && queries === mix) run(popular, 5000, records, count)
    const each = run(queries, times, records, count)
    if (round > 0) taken.push(each)
  }
  taken.sort((a, b) => a - b)
  console.log(
    `${name.padEnd(22)} ${taken[rounds >> 1]!.toFixed(0).padStart(5)} ns   (${taken[0]!.toFixed(0)}-${taken.at(-1)!.toFixed(0)})`,
  )
}

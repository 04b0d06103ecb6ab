import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allocatedPerCall } from '@hearth/testing'
import * as fc from 'fast-check'
import { Meaning } from './membership.ts'
import { createPatternProgram, patternBounds } from './pattern-program.ts'
import { createPatternMatcher, explainPatterns } from './patterns.ts'

const bytes = (name: string) => new TextEncoder().encode(name)

/** A program of patterns that all block, each for its own list (0 to 31). */
function programOf(...texts: string[]): Int32Array {
  const program = createPatternProgram()
  for (const [list, text] of texts.entries()) {
    const reason = program.add(text, Meaning.blocks, list)
    if (reason !== undefined) throw new Error(`${text}: ${reason}`)
  }
  return program.build()
}

/** Returns those that match. */
function matching(program: Int32Array, name: string): number[] {
  const found = new Uint32Array(8)
  createPatternMatcher(program).match(bytes(name), name.length, found)
  return Array.from({ length: 32 }, (_, k) => k).filter((k) => (found[0]! & (1 << k)) !== 0)
}

/** The same in the words of JavaScript's expressions. */
function expressionOf(text: string): RegExp {
  if (text.startsWith('/')) return new RegExp(text.slice(1, -1), 'i')
  const [, bars = '', body = '', end = ''] = /^(\|{0,2})(.*?)(\^?)$/.exec(text) ?? []
  const inside = body.split('*').map((part) => part.replaceAll('.', String.raw`\.`))
  return new RegExp(`${['', '^', String.raw`(^|\.)`][bars.length]}${inside.join('.*')}${end === '' ? '' : '$'}`)
}

test('patterns of real lists match the intended names', () => {
  const table: [string, string[], string[]][] = [
    ['-ads.', ['my-ads.example', 'x-ads.y'], ['ads.example', 'my-ads']],
    ['||t.delfi.', ['t.delfi.lt', 'a.t.delfi.ee'], ['xt.delfi.lt', 't.delfi', 'delfi.lt']],
    ['||ad*.x.com^', ['ads.x.com', 'b.ad1.c.x.com', 'ad.x.com'], ['x.com', 'bad.x.com', 'ads.x.com.y']],
    ['||a.*.b.com^', ['a.x.b.com', 'q.a.x.y.b.com'], ['a.b.com', 'ba.x.b.com']],
    ['|start.', ['start.example'], ['a.start.example', 'restart.x']],
    ['tracker.example^', ['mytracker.example', 'a.tracker.example'], ['tracker.example.org']],
    ['/^ad[sx]?[0-9]*[-.]/', ['ads1.x', 'ad.x', 'adx-y'], ['bad.x', 'adz.x']],
    ['/(^|\\.)pixel\\d{2,3}\\.(com|net)$/', ['pixel12.com', 'a.pixel123.net'], ['pixel1.com', 'xpixel12.com']],
    ['/banner[^.]+\\.example/', ['banner1.example', 'xbanners.example.org'], ['banner.example']],
  ]
  for (const [text, yes, no] of table) {
    const program = programOf(text)
    for (const name of yes) assert.deepEqual(matching(program, name), [0], `${text} matches ${name}`)
    for (const name of no) assert.deepEqual(matching(program, name), [], `${text} does not match ${name}`)
  }
})

const letters = fc.constantFrom('a', 'b', 'c', '.', '-', '1')
const name = fc.string({ unit: letters, minLength: 1, maxLength: 30 })

test('wildcard patterns match like the equivalent regular expression', () => {
  const pattern = fc
    .tuple(
      fc.constantFrom('', '|', '||'),
      fc.array(fc.string({ unit: letters, minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '^'),
    )
    .map(([start, parts, end]) => start + parts.join('*') + end)
  const patterns = fc.uniqueArray(pattern, { minLength: 1, maxLength: 32 })
  fc.assert(
    fc.property(patterns, fc.array(name, { minLength: 5, maxLength: 20 }), (texts, names) => {
      const program = programOf(...texts)
      for (const one of names) {
        const expected = texts.flatMap((text, k) => (expressionOf(text).test(one) ? [k] : []))
        assert.deepEqual(matching(program, one), expected, `${one}: ${texts.join('  ')}`)
      }
    }),
    { numRuns: 2000 },
  )
})

const simple = fc.constantFrom(
  ...'a b c 1 - B . [ab] [^a.] [a-c1]'.split(' '),
  ...String.raw`\. \d \w [\d-]`.split(' '),
)
const repeats = fc.constantFrom('', '', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?')

/** Random expressions of the supported kind, with groups in groups down to a depth. */
function expression(depth: number): fc.Arbitrary<string> {
  const group = (open: string) => expression(depth - 1).map((inside) => `${open}${inside})`)
  const single = depth === 0 ? simple : fc.oneof({ weight: 3, arbitrary: simple }, group('('), group('(?:'))
  const repeated = fc.tuple(single, repeats).map((parts) => parts.join(''))
  const sequence = fc.array(repeated, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))
  return fc.array(sequence, { minLength: 1, maxLength: 2 }).map((parts) => parts.join('|'))
}

/** JavaScript's own expressions may take exponential time, so short ones. */
const short = fc.string({ unit: letters, minLength: 1, maxLength: 10 })

test('regular expressions match like JavaScript’s', () => {
  const anchored = fc.tuple(
    fc.constantFrom('', '^', String.raw`(^|\.)`),
    expression(2),
    fc.constantFrom('', '$', String.raw`(\.|$)`),
  )
  let taken = 0
  fc.assert(
    fc.property(anchored, fc.array(short, { minLength: 5, maxLength: 20 }), ([start, inside, end], names) => {
      const text = `/${start}${start === '' && end === '' ? inside : `(${inside})`}${end}/`
      const builder = createPatternProgram()
      if (builder.add(text, Meaning.blocks, 0) !== undefined) return
      taken += 1
      const program = builder.build()
      for (const one of names) {
        assert.equal(matching(program, one).length === 1, expressionOf(text).test(one), `${text} and ${one}`)
      }
    }),
    { numRuns: 3000 },
  )
  assert(taken > 2000, `only ${taken} expressions were taken`)
})

test('a pattern that cannot be matched in one pass is refused with the reason', () => {
  const reasonOf = (text: string) => createPatternProgram().add(text, Meaning.blocks, 0)
  const table: [string, string][] = [
    [String.raw`/a(?=b)/`, 'look-around or named group'],
    [String.raw`/(?<!a)b/`, 'look-around or named group'],
    [String.raw`/(?<x>a)/`, 'look-around or named group'],
    [String.raw`/(a)\1/`, 'back-reference'],
    [String.raw`/\bads/`, 'unknown escape'],
    [String.raw`/\p{L}ads/`, 'unknown escape'],
    ['/a{100}{100}/', 'unreadable expression'],
    ['/(a{100}){100}/', 'expression too large'],
    ['/(((a{90}){90}){90}){90}/', 'expression too large'],
    [`/${'('.repeat(100)}a${')'.repeat(100)}/`, 'expression too large'],
    ['/(ads/', 'unreadable expression'],
    ['/ads)/', 'unreadable expression'],
    ['/[ads/', 'unreadable class'],
    ['/[[:alpha:]]ads/', 'unreadable class'],
    ['/[z-a]/', 'unreadable class'],
    ['/*ads/', 'unreadable expression'],
    ['/ads{3,1}/', 'unreadable expression'],
    ['/ads**/', 'unreadable expression'],
    [String.raw`/https?:\/\/ads/`, 'can match no name'],
    [String.raw`/^1\.2\.3\.4:\d+/`, 'can match no name'],
    ['/a$b/', 'ok'],
  ]
  for (const [text, reason] of table) assert.equal(reasonOf(text) ?? 'ok', reason, text)
})

test('patterns prone to backtracking take linear time', () => {
  const hostile = [
    '/(a+)+$/',
    '/(a|aa)+$/',
    '/(.*a){20}$/',
    '/^(([a-z])+.)+[A-Z]([a-z])+$/',
    '/(a*)*b/',
    'a*a*a*a*a*b^',
  ]
  const long = bytes(`${'a'.repeat(252)}!`)
  const matcher = createPatternMatcher(programOf(...hostile))
  const found = new Uint32Array(8)
  const begun = performance.now()
  for (let k = 0; k < 20; k++) matcher.match(long, long.length, found)
  assert(performance.now() - begun < 20_000, 'a pattern that explodes would take for ever')
})

test('a pattern keeps its lists and meanings apart, and can be explained', () => {
  const builder = createPatternProgram()
  builder.add('-ads.', Meaning.blocks, 0)
  builder.add('-ads.', Meaning.blocks, 31)
  builder.add('-ads.', Meaning.allowsImportantly, 3)
  builder.add('/^x-ADS/', Meaning.allows, 5)
  builder.add('||nothing.*.x^', Meaning.blocks, 6)
  const program = builder.build()
  const found = new Uint32Array(8)
  found[7] = 1
  createPatternMatcher(program).match(bytes('x-ads.example'), 13, found)
  assert.deepEqual([...found], [2 ** 31 + 1, 1 << 5, 0, 1 << 3, 0, 0, 0, 1])
  assert.deepEqual(explainPatterns(program, bytes('x-ads.example'), 13), [
    { text: '-ads.', meaning: Meaning.blocks, list: 0 },
    { text: '-ads.', meaning: Meaning.blocks, list: 31 },
    { text: '-ads.', meaning: Meaning.allowsImportantly, list: 3 },
    { text: '/^x-ADS/', meaning: Meaning.allows, list: 5 },
  ])
  assert.deepEqual(explainPatterns(new Int32Array(0), bytes('x'), 1), [])
})

test('a program works at any offset in shared memory', () => {
  const program = programOf('-ads.', '/track[0-9]+/')
  const memory = new SharedArrayBuffer(program.byteLength + 40)
  const shared = new Int32Array(memory, 20, program.length)
  shared.set(program)
  assert.deepEqual(matching(shared, 'x-ads.track7.example'), [0, 1])
  assert.equal(explainPatterns(shared, bytes('track7.x'), 8)[0]?.text, '/track[0-9]+/')
})

test('the number of patterns that must be tried for every name is bounded', () => {
  const builder = createPatternProgram()
  const reasons = Array.from({ length: patternBounds.always + 1 }, (_, k) =>
    builder.add(`/^[^a]{${k % 9}}b/`, Meaning.blocks, k % 32),
  )
  assert.equal(reasons[0], undefined)
  const others = Array.from({ length: 100 }, (_, k) => builder.add(`/^[a-z]{${k}}[0-9]/`, Meaning.blocks, 0))
  assert.equal(others.at(-1), 'too many patterns without a fixed part')
  const alike = Array.from({ length: 400 }, (_, k) =>
    builder.add(`abcd*${String.fromCharCode(97 + (k % 26), 97 + Math.floor(k / 26))}`, Meaning.blocks, 0),
  )
  assert.equal(alike[patternBounds.alike - 1], undefined)
  assert.equal(alike.at(-1), 'too many patterns of one kind')
})

test('matching allocates nothing', () => {
  const matcher = createPatternMatcher(
    programOf('-ads.', '||t.delfi.', '/track[0-9]+x?/', '/^[a-z]{5}\\.[a-z]{5}$/', 'a*b*c'),
  )
  const one = bytes('www.track77.my-ads.example.abc.t.delfi.lt')
  const found = new Uint32Array(8)
  const match = () => {
    found.fill(0)
    matcher.match(one, one.length, found)
  }
  const perName = allocatedPerCall(match, 8)
  assert(perName < 8, `${perName} bytes a name`)
})

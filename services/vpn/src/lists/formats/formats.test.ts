import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { askBundle, type Said } from '../../../test/ask-bundle.ts'
import type { ListReport } from '../line-count.ts'
import type { ResolverList } from '../../dns/resolver-files.ts'
import { compileLists } from '../compile-lists.ts'
import { detectFormat, readLine } from './read-line.ts'
import type { ListFormat } from './rule.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** Compiles texts, each as the list of its number. */
function compile(texts: readonly (string | Uint8Array)[], format: ResolverList['format'] = 'auto') {
  const lists = texts.map((_, number) => ({ number, id: `${number}`, name: 'x', sha256: '', format }))
  const { bundle, reports } = compileLists(lists, ({ number }) => {
    const text = texts[number]!
    return typeof text === 'string' ? bytes(text) : text
  })
  return { bundle, reports, ask: (name: string) => askBundle(bundle, name) }
}

/** One letter for what the only list says: blocks, allows, B and A when importantly; "-" for nothing. */
function word({ blocks, allows, blocksImportantly, allowsImportantly }: Said): string {
  const words = [blocks.length > 0 && 'b', allows.length > 0 && 'a', blocksImportantly.length > 0 && 'B']
  return [...words, allowsImportantly.length > 0 && 'A'].filter((one) => one !== false).join('') || '-'
}

const unsupportedOf = ({ unsupported }: ListReport) => Object.values(unsupported).reduce((sum, count) => sum + count, 0)

test('each format is parsed as specified', () => {
  // The name itself, a name below it, and one that merely ends with the same letters.
  const table: [ListFormat, string, string][] = [
    ['hosts', '0.0.0.0 d.example', 'b--'],
    ['hosts', '127.0.0.1\td.example # note', 'b--'],
    ['hosts', '0 d.example', 'b--'],
    ['hosts', '::1 d.example', 'b--'],
    ['hosts', '0:0:0:0:0:0:0:0 d.example', 'b--'],
    ['hosts', '127.0.0.1 other.example localhost d.example third.example', 'b--'],
    ['hosts', 'd.example', 'b--'],
    ['domains', 'd.example', 'bb-'],
    ['domains', 'D.Example.', 'bb-'],
    ['domains', '.d.example', 'bb-'],
    ['domains', 'd.example # note', 'bb-'],
    ['domains', '0.0.0.0 d.example', 'b--'],
    ['wildcard', 'd.example', 'bb-'],
    ['wildcard', '*.d.example', '-b-'],
    ['adblock', '||d.example^', 'bb-'],
    ['adblock', '||D.EXAMPLE^', 'bb-'],
    ['adblock', '||d.example^|', 'bb-'],
    ['adblock', '||d.example|', 'bb-'],
    ['adblock', '||d.example^*', 'bb-'],
    ['adblock', '||example^', 'bbb'],
    ['adblock', '@@||d.example^', 'aa-'],
    ['adblock', '@@||d.example^|', 'aa-'],
    ['adblock', '||d.example^$important', 'BB-'],
    ['adblock', '@@||d.example^$important', 'AA-'],
    ['adblock', '|d.example^', 'b--'],
    ['adblock', '|d.example|', 'b--'],
    ['adblock', '@@|d.example^|', 'a--'],
    ['adblock', '://d.example^', 'b--'],
    ['adblock', 'd.example', 'b--'],
    ['adblock', '*.d.example', '-b-'],
    ['adblock', '*.d.example^', '-b-'],
    ['adblock', '||*.d.example^', '-b-'],
    ['adblock', '.d.example^', '-b-'],
    ['adblock', 'd.example^', 'bbb'],
    ['adblock', '*d.example^', 'bbb'],
    ['adblock', '||d.exam', 'bb-'],
    ['adblock', '||d.*mple^', 'bb-'],
    ['adblock', 'd.exa*', 'bbb'],
    ['adblock', String.raw`/^(x\.)?d\.example$/`, 'bb-'],
    ['adblock', String.raw`@@/^D\.example$/$important`, 'A--'],
    ['adblock', '0.0.0.0 d.example', 'b--'],
    ['dnsmasq', 'local=/d.example/', 'bb-'],
    ['dnsmasq', 'server=/d.example/', 'bb-'],
    ['dnsmasq', 'address=/d.example/', 'bb-'],
    ['dnsmasq', 'address=/d.example/0.0.0.0', 'bb-'],
    ['dnsmasq', 'address=/d.example/::', 'bb-'],
    ['dnsmasq', 'address=/d.example/#', 'bb-'],
    ['dnsmasq', 'address=/other.example/d.example/', 'bb-'],
  ]
  for (const [format, line, expected] of table) {
    const { ask, reports } = compile([`${line}\n`], format)
    const said = ['d.example', 'x.d.example', 'md.example'].map((name) => word(ask(name))).join('')
    assert.equal(said, expected, `${format}: ${line}`)
    assert.deepEqual([reports[0]?.lines, reports[0]?.accepted], [1, 1], line)
  }
})

test('lines without meaning for DNS are counted by reason and have no effect', () => {
  const table: [string, string][] = [
    ['##.ad-banner', 'cosmetic'],
    ['d.example##.ad', 'cosmetic'],
    ['d.example#@#.ad', 'cosmetic'],
    ['d.example#?#div:has(> .ad)', 'cosmetic'],
    ['d.example#$#body { color: red }', 'cosmetic'],
    ['d.example#%#window.x = 1', 'cosmetic'],
    ['d.example$$script[data="x"]', 'cosmetic'],
    ['||d.example/ads/banner.js', 'part of an address'],
    ['||d.example^ads', 'separator inside'],
    ['/ads/banner.', 'part of an address'],
    ['&ad_id=', 'part of an address'],
    ['||d.example^$third-party', 'modifier third-party'],
    ['||d.example^$~third-party,important', 'modifier third-party'],
    ['||d.example^$client=', 'wrong value of client'],
    ['||d.example^$denyallow=', 'wrong value of denyallow'],
    ['||d.example^$dnstype=B', 'unknown type in dnstype'],
    ['||d.example^$dnsrewrite=e.example', 'dnsrewrite to a name'],
    ['@@||d.example^$important,surprise', 'unknown modifier'],
    ['||1.2.3.4', 'address'],
    ['[2001:db8::1]^', 'address'],
    ['1.2.3.4', 'address'],
    ['0.0.0.0 1.2.3.4', 'address'],
    ['192.168.1.5 d.example', 'leads elsewhere'],
    ['address=/d.example/10.0.0.1', 'leads elsewhere'],
    ['server=/d.example/9.9.9.9', 'leads elsewhere'],
    ['com', 'single label'],
    ['0.0.0.0 com', 'single label'],
    ['*.com', 'single label'],
    ['.com^', 'single label'],
    ['|com^', 'single label'],
    ['address=/com/', 'single label'],
    ['*', 'matches too much'],
    ['||*^', 'matches too much'],
    ['a*', 'matches too much'],
    [`||${'a'.repeat(64)}.example^`, 'not a domain name'],
    [`||${'a.'.repeat(127)}example^`, 'not a domain name'],
    ['||a..example^', 'not a domain name'],
    ['||exa%mple.org^', 'not a domain name'],
    ['||d.ex\0ample^', 'control character'],
    ['0.0.0.0 d.example\0', 'control character'],
    ['two words.example', 'unknown form'],
    ['/(?=d)/', 'look-around or named group'],
    ['/^http:..d/', 'can match no name'],
  ]
  for (const [line, reason] of table) {
    const { bundle, ask, reports } = compile([`${line}\n`], 'adblock')
    assert.deepEqual(reports[0]?.unsupported, { [reason]: 1 }, line)
    assert.deepEqual(
      reports[0]?.examples,
      [{ line: 1, text: line.slice(0, 120).replace('\0', '\u{fffd}'), reason }],
      line,
    )
    assert.equal(bundle.names + bundle.patterns.length, 0, line)
    assert.equal(word(ask('d.example')), '-', line)
  }
})

test('comments, blank lines and local host names are ignored', () => {
  const lines = `
! Title: something
# comment
#comment
[Adblock Plus 2.0]
127.0.0.1 localhost
127.0.0.1 localhost.localdomain
127.0.0.1 local
255.255.255.255 broadcasthost
::1 ip6-localhost ip6-loopback
fe80::1%lo0 localhost
ff02::1 ip6-allnodes
0.0.0.0 0.0.0.0
   
# ---------------`
  for (const format of ['hosts', 'adblock', 'domains'] as const) {
    const { reports, bundle } = compile([lines], format)
    assert.deepEqual([reports[0]?.lines, reports[0]?.comments, bundle.names], [15, 15, 0], format)
  }
})

test('names are normalised: byte order marks, line ends, other scripts', () => {
  const { ask, reports } = compile(
    ['\u{feff}||Bücher.Example^\r\n||ПРИМЕР.рф^\r\n\t_dmarc.x-y.example  \r\n||no-end.example^'],
    'adblock',
  )
  assert.deepEqual([reports[0]?.lines, reports[0]?.accepted], [4, 4])
  for (const name of ['xn--bcher-kva.example', 'a.xn--e1afmkfd.xn--p1ai', '_dmarc.x-y.example', 'no-end.example'])
    assert.equal(word(ask(name)), 'b', name)
  const marked = compile([Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes('first.example\n'))])
  assert.equal(word(marked.ask('first.example')), 'b')
  const long = `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(57)}.com`
  assert.equal(long.length, 253)
  assert.equal(word(compile([`${long}\n`]).ask(long)), 'b')
})

test('$badfilter disables identical rules, in other lists too, and nothing else', () => {
  const { ask, reports } = compile(
    [
      '||gone.example^\n||gone.example^$important\n||Important.example^$important\n-banner.\n@@||fine.example^\nbare.example',
      '||gone.example^$badfilter\n||important.example^$badfilter,important\n-banner.$badfilter\n@@||fine.example^$badfilter\n/x.y/$badfilter\nbare.example$badfilter',
    ],
    'adblock',
  )
  assert.equal(word(ask('gone.example')), 'B', 'the important rule is another one')
  assert.equal(word(ask('important.example')), '-')
  assert.equal(word(ask('x-banner.example')), '-')
  assert.equal(word(ask('fine.example')), '-')
  assert.equal(word(ask('bare.example')), '-')
  assert.deepEqual(reports[0]?.unsupported, { 'cancelled by $badfilter': 5 })
  assert.deepEqual([reports[1]?.accepted, reports[1]?.entries], [6, 0])
})

test('duplicates within a list count once', () => {
  const { reports } = compile(['||a.example^\n||A.example^\n-ads.\n-ads.\n@@-ads.\n', 'a.example\n'], 'adblock')
  assert.deepEqual(
    reports.map(({ accepted, entries }) => [accepted, entries]),
    [
      [5, 3],
      [1, 1],
    ],
  )
})

test('the format is detected from the majority of lines', () => {
  const table: [string, ListFormat][] = [
    ['# c\n0.0.0.0 a.example\n0.0.0.0 b.example\n||c.example^\n', 'hosts'],
    ['! c\n||a.example^\n', 'adblock'],
    ['[Adblock Plus]\na.example\n', 'adblock'],
    ['# c\na.example\nb.example\n*.c.example', 'domains'],
    ['*.a.example\n*.b.example\n', 'wildcard'],
    ['local=/a.example/\naddress=/b.example/#\n', 'dnsmasq'],
    ['a.example##.ad\n##.banner\n', 'adblock'],
    ['', 'domains'],
    [`${'# long header\n'.repeat(3000)}0.0.0.0 a.example\n`, 'hosts'],
  ]
  for (const [text, format] of table) assert.equal(detectFormat(bytes(text)), format, text.slice(0, 50))
})

test('an oversized line is skipped, the rest is used', () => {
  const { ask, reports } = compile([`||${'a'.repeat(17_000)}^\n||d.example^\n`], 'adblock')
  assert.equal(word(ask('d.example')), 'b')
  assert.deepEqual(reports[0]?.unsupported, { 'line too long': 1 })
})

test('the table grows when there are more names than lines', () => {
  const line = (k: number) => `0.0.0.0 ${Array.from({ length: 200 }, (_, j) => `n${k}-${j}.example`).join(' ')}`
  const { bundle, ask, reports } = compile([Array.from({ length: 100 }, (_, k) => line(k)).join('\n')])
  assert.equal(bundle.names, 20_000)
  assert.deepEqual([reports[0]?.accepted, reports[0]?.entries], [100, 20_000])
  for (const name of ['n0-0.example', 'n99-199.example', 'n50-7.example']) assert.equal(word(ask(name)), 'b')
})

const words =
  `|| @@ | ^ * . / $ $important $badfilter # ## ! [ ] 0.0.0.0 127.0.0.1 ::1 address=/ local=/ localhost com ads
  example.com a.b.c - _ % ü 1.2.3.4 (a+)+ { \\ A.B`.split(/\s+/)
const piece = fc.constantFrom(' ', '\t', '\r', '\0', '\u{feff}', '\u{2028}', '0.0.0.0 ', ...words)
const anyLine = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
)
const anyFormat = fc.constantFrom<ResolverList['format']>('auto', 'hosts', 'domains', 'wildcard', 'adblock', 'dnsmasq')

test('every line of any text is counted, and nothing makes the compiler fail', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 30 }), anyFormat, (lines, format) => {
      const text = lines.join('\n')
      const [report] = compile([text], format).reports
      assert(report !== undefined)
      const bytesOfText = bytes(text)
      const ends = bytesOfText.filter((byte) => byte === 10).length
      const isOpen = bytesOfText.length > (text.startsWith('\u{feff}') ? 3 : 0) && bytesOfText.at(-1) !== 10
      assert.equal(report.lines, ends + Number(isOpen))
      assert.equal(report.accepted + report.comments + unsupportedOf(report), report.lines)
      assert(report.examples.length <= 20)
    }),
    { numRuns: 800 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), anyFormat, (text, format) => {
      const [report] = compile([text], format).reports
      assert(report !== undefined)
      assert.equal(report.accepted + report.comments + unsupportedOf(report), report.lines)
    }),
    { numRuns: 400 },
  )
})

/** Decision of a line about a name, computed the slow way: every rule is compared with every name. */
function slowly(lines: readonly string[], format: ListFormat, name: string): string {
  const words = new Set<string>()
  for (const line of lines) {
    const rule = readLine(line, format)
    if (rule.kind !== 'names') continue
    const isHit = rule.names.some(
      (one) => ((rule.cover & 1) !== 0 && name === one) || ((rule.cover & 2) !== 0 && name.endsWith(`.${one}`)),
    )
    const { isException, isImportant } = rule.weight
    if (isHit) words.add(isException ? (isImportant ? 'A' : 'a') : isImportant ? 'B' : 'b')
  }
  return ['b', 'a', 'B', 'A'].filter((one) => words.has(one)).join('') || '-'
}

test('the byte-based parser matches a slow string-based one', () => {
  const label = fc.constantFrom('a', 'b', 'A', 'x-1', '_c', '9')
  const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => `${labels.join('.')}.com`)
  const line = fc
    .tuple(
      fc.constantFrom('', '||', '@@||', '*.', '|', '@@|', '0.0.0.0 ', '127.0.0.1  ', ':: '),
      name,
      fc.constantFrom('', '^', '^$important', '.'),
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 20 }),
      fc.constantFrom('hosts', 'domains', 'adblock'),
      fc.array(name),
      (lines, format, names) => {
        const usable = lines.filter((one) => readLine(one, format).kind !== 'pattern')
        const { ask } = compile([usable.join('\n')], format)
        for (const one of names.map((text) => text.toLowerCase()))
          assert.equal(word(ask(one)), slowly(usable, format, one), `${one} in ${usable.join(' ; ')}`)
      },
    ),
    { numRuns: 800 },
  )
})

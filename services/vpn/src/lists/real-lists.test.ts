import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { askBundle } from '../../test/ask-bundle.ts'
import type { ResolverList } from '../dns/resolver-files.ts'
import { compileLists } from './compile-lists.ts'
import { detectFormat } from './formats/read-line.ts'

/** Four published lists of 2022, whole, one in each of the usual formats; see `services/vpn/test/data/lists/README.md`. */
const files = ['adguarddns.wildcard', 'easylist.hosts', 'light.adblock', 'stevenblack.domains'] as const
const texts = files.map((file) =>
  gunzipSync(readFileSync(new URL(`../../test/data/lists/${file}.txt.gz`, import.meta.url))),
)
const lists: readonly ResolverList[] = files.map((id, number) => ({ number, id, name: id, format: 'auto', sha256: '' }))

test('four published lists are read completely: each line is counted and each name found', () => {
  assert.deepEqual(
    texts.map((text) => detectFormat(text)),
    ['wildcard', 'hosts', 'adblock', 'domains'],
  )
  const { bundle, reports } = compileLists(lists, ({ number }) => texts[number]!)
  const counts = reports.map(({ lines, accepted, comments, entries }) => [lines, accepted, comments, entries])
  // The numbers of names are those the lists state in their own headers ("Domains: 82473").
  assert.deepEqual(counts, [
    [82_489, 82_473, 16, 82_473],
    [86_712, 86_674, 38, 86_674],
    [122_690, 122_680, 10, 122_680],
    [140_640, 140_626, 14, 140_626],
  ])
  for (const { unsupported } of reports) assert.deepEqual(unsupported, {})
  assert.equal(bundle.names, 243_373)
  assert.equal(bundle.patterns.length, 0)
  const everyHundredth = texts.flatMap((text, number) =>
    text
      .toString()
      .split('\n')
      .filter((line, k) => k % 100 === 50 && line !== '' && !/^[#!]/.test(line))
      .map((line) => ({ number, name: line.replace(/^(0\.0\.0\.0 |\*\.|\|\|)/, '').replace(/\^$/, '') })),
  )
  assert(everyHundredth.length > 4000)
  for (const { number, name } of everyHundredth) {
    const below = askBundle(bundle, `x.${name}`).blocks
    const isExactOnly = number === 1
    if (!isExactOnly) assert(below.includes(number), `what is below ${name} in ${files[number]}`)
    if (number !== 0) assert(askBundle(bundle, name).blocks.includes(number), `${name} in ${files[number]}`)
    assert.deepEqual(askBundle(bundle, `x-${name}`.slice(0, 253)).allows, [])
  }
  for (const name of ['example.org', 'wikipedia.org', 'debian.org', 'com', 'localhost'])
    assert.deepEqual(askBundle(bundle, name).blocks, [], name)
})

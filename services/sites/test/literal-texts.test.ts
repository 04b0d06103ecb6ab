import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { caddyAges, startServedSites, type ServedSites } from './served-sites.ts'
import { makeSite } from './site-makers.ts'

const plain = { tls: { mode: 'off' } } as const
const piece = fc.constantFrom(
  '{',
  '}',
  '\\',
  'env.HOME',
  '{env.HOME}',
  String.raw`\{env.HOME\}`,
  '{$HOME}',
  '{file./etc/hostname}',
  '{system.hostname}',
  '{{',
  '{http.vars.x}',
  'a',
  ' ',
  ':',
  '"',
  '%',
  'ü',
  '\n',
)
/** Texts that try to be more than texts; always the same ones. */
const texts = fc.sample(
  fc
    .array(piece, { maxLength: 12 })
    .map((pieces) => pieces.join(''))
    // A backslash before a closing brace is dropped by newer versions and kept by old ones when no brace opens.
    .filter((text) => text.includes('{') || !text.includes(String.raw`\}`)),
  { numRuns: 300, seed: 7 },
)

for (const age of caddyAges)
  describe(`on a real Caddy ${age.name} texts are served literally`, { skip: age.skip }, () => {
    let served: ServedSites
    before(async () => {
      served = await startServedSites(age)
    })
    after(() => served[Symbol.asyncDispose]())

    test('in bodies', async () => {
      await served.serve(
        texts.map((body, index) =>
          makeSite(index + 1, {
            domains: [`s${index}.test`],
            kind: 'respond',
            respond: { body },
            compression: 'off',
            ...plain,
          }),
        ),
      )
      for (const [index, text] of texts.entries())
        assert.equal((await served.caddy.get(`s${index}.test`, '/', { isSettled: index > 0 })).text, text)
    })

    test('on maintenance pages', async () => {
      await served.serve(
        texts.map((page, index) =>
          makeSite(index + 1, { domains: [`s${index}.test`], maintenance_mode: true, maintenance: { page }, ...plain }),
        ),
      )
      for (const [index, text] of texts.entries())
        assert.equal((await served.caddy.get(`s${index}.test`, '/', { isSettled: index > 0 })).text, text)
    })

    test('in header values', async () => {
      const values = texts.map((text) => text.replaceAll(/[\nü]/g, '').trim())
      await served.serve(
        values.map((value, index) =>
          makeSite(index + 1, {
            domains: [`s${index}.test`],
            kind: 'respond',
            respond: {},
            response_headers: [{ op: 'set', name: 'X-Text', value }],
            ...plain,
          }),
        ),
      )
      for (const [index, value] of values.entries())
        assert.equal((await served.caddy.get(`s${index}.test`, '/', { isSettled: index > 0 })).headers['x-text'], value)
    })
  })

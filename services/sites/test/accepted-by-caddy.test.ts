import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { canonicalJson } from '../src/caddy/canonical-json.ts'
import { isSentinelError, withSentinel } from '../src/caddy/sentinel.ts'
import { checkSite } from '../src/sites/rules/rules.ts'
import { SiteCreate } from '../src/sites/schema.ts'
import { makeRuleContext } from './rule-contexts.ts'
import { caddyAges, startServedSites, type ServedSites } from './served-sites.ts'
import { arbitrarySite } from './site-arbitrary.ts'

/** Many different sites, always the same ones, so that a failure can be looked at again. */
const sites =
  fc.sample(fc.tuple(...Array.from({ length: 300 }, (_, index) => arbitrarySite(index + 1))), {
    numRuns: 1,
    seed: 42,
  })[0] ?? []

async function isTaken(served: ServedSites): Promise<void> {
  const { config } = served.compile(sites)
  const dry = await served.caddy.load(withSentinel(config))
  assert.ok(isSentinelError(dry.error), dry.error)
  assert.deepEqual(await served.caddy.load(config), { status: 200, error: '' })
  assert.equal(canonicalJson(await served.caddy.config()), canonicalJson(config))
}

describe('Caddy accepts every site that the rules accept, and returns it unchanged', () => {
  test('the rules accept the sites', () => {
    for (const { record } of sites) {
      const { errors } = checkSite(SiteCreate.parse(record), makeRuleContext({ storedUsers: ['ann'] }))
      assert.deepEqual(errors, [], JSON.stringify(record))
    }
  })

  for (const age of caddyAges)
    test(age.name, { skip: age.skip }, async () => {
      await using served = await startServedSites(age)
      await isTaken(served)
    })
})

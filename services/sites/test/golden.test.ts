import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { canonicalJson } from '../src/caddy/canonical-json.ts'
import { compileConfig } from '../src/caddy/compile.ts'
import { isSentinelError, withSentinel } from '../src/caddy/sentinel.ts'
import { goldenNode, goldenSites, goldenState } from './golden-sites.ts'
import { startCaddy, type RealCaddy } from './real-caddy.ts'
import { caddyAges } from './served-sites.ts'

const fileOf = (name: string, age: string) => join(import.meta.dirname, 'golden', `${name}.${age}.json`)
const ages = ['oldest', 'newest'] as const
const shouldUpdate = process.env['UPDATE_GOLDEN'] === '1'

describe('configurations match their golden files; UPDATE_GOLDEN=1 rewrites them, then format', () => {
  for (const name of Object.keys(goldenSites))
    for (const age of ages)
      test(`${name} for the ${age} node`, async () => {
        const { config } = compileConfig(goldenState(name), goldenNode(age))
        const text = JSON.stringify(config, null, 2)
        if (shouldUpdate) await writeFile(fileOf(name, age), text)
        assert.deepEqual(JSON.parse(await readFile(fileOf(name, age), 'utf8')), JSON.parse(text))
      })

  test('there are no unused golden files', async () => {
    const wanted = Object.keys(goldenSites).flatMap((name) => ages.map((age) => `${name}.${age}.json`))
    assert.deepEqual(await readdir(join(import.meta.dirname, 'golden')), wanted.sort())
  })
})

for (const [index, age] of caddyAges.entries())
  describe(`a real Caddy ${age.name} accepts all of them`, { skip: age.skip }, () => {
    let caddy: RealCaddy
    let secrets: Record<string, string>
    before(async () => {
      caddy = await startCaddy(age.binary)
      secrets = await makeSecrets(caddy.directory)
    })
    after(() => caddy.stop())

    for (const name of Object.keys(goldenSites))
      test(name, async () => {
        const text = await readFile(fileOf(name, ages[index] ?? 'oldest'), 'utf8')
        const config = settle(text, caddy, secrets)
        const dry = await caddy.load(withSentinel(config))
        assert.ok(isSentinelError(dry.error), dry.error)
        assert.deepEqual(await caddy.load(config), { status: 200, error: '' })
        assert.equal(canonicalJson(await caddy.config()), canonicalJson(config))
      })
  })

/** A certificate where the files have only words. */
async function makeSecrets(directory: string): Promise<Record<string, string>> {
  const [key, certificate] = [join(directory, 'own.key'), join(directory, 'own.crt')]
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=own'.split(' ')
  await promisify(execFile)('openssl', [...words, '-keyout', key, '-out', certificate])
  const pem = await readFile(certificate, 'utf8')
  return {
    CERTIFICATE: pem,
    KEY: await readFile(key, 'utf8'),
    AUTHORITY: new X509Certificate(pem).raw.toString('base64'),
  }
}

/** The configuration with what belongs to this Caddy: its admin socket, ports and directory. */
function settle(text: string, caddy: RealCaddy, secrets: Record<string, string>): object {
  const places: Record<string, unknown> = {
    ...secrets,
    'unix//run/caddy/admin.sock': caddy.adminListen,
    ':443': `127.0.0.1:${caddy.httpsPort}`,
    ':80': `127.0.0.1:${caddy.httpPort}`,
  }
  const numbers: Record<string, number> = { http_port: caddy.httpPort, https_port: caddy.httpsPort }
  return JSON.parse(text.replaceAll('/var/lib/caddy', caddy.directory), (name, value: unknown) =>
    typeof value === 'string' ? (places[value] ?? value) : (numbers[name] ?? value),
  ) as object
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { drawQuestions, listTexts, type AskedClient, type Question } from '../test/adguard-questions.ts'

/**
 * Records what AdGuard's own engine decides about 28,000 questions over the lists of `test/data/lists`, for
 * `test/adguard-agreement.test.ts`. The engine is no dependency: it brings 35 packages and 26 MB for one test. To record again:
 *
 *     npm install --prefix /tmp/adguard --ignore-scripts @adguard/tsurlfilter@2.2.23
 *     ADGUARD_ENGINE=/tmp/adguard npm run bench -- vpn/adguard-decisions
 */
const engineVersion = '2.2.23'

/** The parts of the engine's package that are used here. */
interface EnginePackage {
  readonly StringRuleList: new (id: number, text: string, ignoreCosmetic: boolean) => unknown
  readonly RuleStorage: new (lists: readonly unknown[]) => unknown
  readonly DnsEngine: new (storage: unknown) => AdGuardEngine
  readonly Request: new (url: string, source: string, type: number) => EngineRequest
  readonly RequestType: { readonly Document: number }
  readonly setConfiguration: (options: object) => void
}

interface AdGuardEngine {
  readonly networkEngine: { match(request: EngineRequest): { isAllowlist(): boolean } | null }
  match(name: string): { readonly hostRules: readonly unknown[] }
}

interface EngineRequest {
  isHostnameRequest: boolean
  dnsType: string
  clientName: string | undefined
  clientIP: string | undefined
}

const folder = process.env['ADGUARD_ENGINE'] ?? ''
const manifest = join(folder, 'node_modules/@adguard/tsurlfilter/package.json')
if (folder === '' || !existsSync(manifest)) {
  process.stdout.write(
    `skipped: ADGUARD_ENGINE names no folder with @adguard/tsurlfilter ${engineVersion}; see bench/adguard-decisions.ts\n`,
  )
  process.exit(0)
}
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
if (version !== engineVersion) throw new Error(`the engine is ${version}, wanted is ${engineVersion}`)
const entry = join(folder, 'node_modules/@adguard/tsurlfilter/dist/es/index.js')
const adguard = (await import(pathToFileURL(entry).href)) as EnginePackage
adguard.setConfiguration({ engine: 'extension', verbose: false })

const lists = Object.values(listTexts()).map((text, id) => new adguard.StringRuleList(id + 1, text, true))
const engine = new adguard.DnsEngine(new adguard.RuleStorage(lists))

function decide({ name, type, client }: Question): string {
  const url = `http://${name}/`
  const request = new adguard.Request(url, url, adguard.RequestType.Document)
  request.isHostnameRequest = true
  request.dnsType = type
  request.clientName = client.name
  request.clientIP = client.address
  const rule = engine.networkEngine.match(request)
  if (rule !== null) return rule.isAllowlist() ? 'allowed' : 'blocked'
  return engine.match(name).hostRules.length > 0 ? 'blocked' : 'allowed'
}

const textOf = ({ name, type, client }: Question & { client: AskedClient }) => `${name}\t${type}\t${client.number}`
const lines = drawQuestions().map((question) => `${textOf(question)}\t${decide(question)}`)
const file = new URL('../test/data/lists/adguard-decisions.tsv.gz', import.meta.url)
writeFileSync(file, gzipSync(`${lines.join('\n')}\n`, { level: 9 }))
const blocked = lines.filter((line) => line.endsWith('blocked')).length
process.stdout.write(`${lines.length} decisions of @adguard/tsurlfilter ${version}, ${blocked} of them blocks\n`)

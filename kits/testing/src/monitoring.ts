import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promtoolObstacle, promtoolProblems } from './promtool.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const folder = join(import.meta.dirname, '../../../docs/monitoring')

/** Registers the tests of a service's alert rules and dashboard in `docs/monitoring`; `names` are the metrics it exports. */
export function testMonitoring(service: string, names: () => Promise<Iterable<string>>): void {
  const rules = join(folder, 'alerts', `${service}.yaml`)
  const alerts = () => Array.from(readFileSync(rules, 'utf8').matchAll(/^ +expr: (.+)$/gm), ([, text = '']) => text)
  const dashboard = () => dashboardExpressions(join(folder, 'dashboards', `${service}.json`))

  test('alert rules and dashboard name only metrics that the service exports', async () => {
    const known = new Set([...(await names()), 'up'])
    assert.deepEqual(unknownMetrics([...alerts(), ...dashboard()], known), [])
    assert.deepEqual(unknownMetrics(['rate(hearth_nothing[5m]) > sum by (x) (up{y="z"})'], known), ['hearth_nothing'])
    assert.ok(alerts().length > 5 && dashboard().length > 10)
  })

  test('promtool accepts the alert rules, and they fire when they should', { skip: promtoolObstacle() }, async () => {
    assert.equal(await promtoolProblems(['check', 'rules', rules]), '')
    assert.equal(await promtoolProblems(['test', 'rules', join(folder, 'alerts/tests', `${service}.test.yaml`)]), '')
  })

  test('promtool accepts every expression of the dashboard', { skip: promtoolObstacle() }, async () => {
    await using directory = await temporaryDirectory('dashboard')
    const file = join(directory.path, 'rules.json')
    const records = dashboard().map((expr, index) => ({ record: `dashboard:${index}`, expr }))
    await writeFile(file, JSON.stringify({ groups: [{ name: service, rules: records }] }))
    assert.equal(await promtoolProblems(['check', 'rules', file]), '')
  })
}

interface Panel {
  readonly targets?: readonly { readonly expr: string }[]
}

/** The expressions of a Grafana dashboard, with values in place of its variables. */
function dashboardExpressions(file: string): string[] {
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: readonly Panel[] }
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replaceAll(/\$__(?:rate_interval|range)/g, '5m').replaceAll('$instance', '.*'))
}

const operators = new Set(['and', 'or', 'unless', 'bool', 'offset', 'by', 'without', 'on', 'ignoring', 'inf', 'nan'])

/** Metrics in PromQL expressions that are not known; a histogram's series are known by its name. */
function unknownMetrics(expressions: readonly string[], known: ReadonlySet<string>): string[] {
  const used = expressions.flatMap((text) => {
    const plain = text
      .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
      .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
      .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right) *\([^)]*\)/g, ' ')
    // What a parenthesis follows is a function.
    return Array.from(plain.matchAll(/(?<![\w.:])[a-z_:][\w:]*\b(?! *\()/gi), ([name]) => name)
  })
  const isKnown = (name: string) => known.has(name) || known.has(name.replace(/_(?:bucket|sum|count)$/, ''))
  return [...new Set(used)].filter((name) => !operators.has(name) && !isKnown(name))
}

import type { Changes } from './changes.ts'
import { median } from './median.ts'
import type { Trial } from './trial.ts'

interface Goal {
  readonly what: string
  readonly ours: number
  /** Name of the reference. */
  readonly other: number
  readonly atLeast?: number
  readonly atMost?: number
}

/** Prints both tables. Returns whether every row counts and every goal is met. */
export function report(
  title: string,
  trials: ReadonlyMap<string, readonly Trial[]>,
  changes: Changes | undefined,
): boolean {
  const of = (name: string, key: keyof Trial) => median((trials.get(name) ?? []).map((trial) => trial[key]))
  const lines = [...trials].map(([name, list]) => {
    const cells = (['qps', 'cpuMicros', 'p50', 'p99', 'memory', 'wholeMemory', 'loadMs'] as const).map((key) => {
      const value = of(name, key)
      return value === 0 ? '' : key === 'cpuMicros' ? value.toFixed(1) : Math.round(value).toLocaleString('en')
    })
    return `| ${name} | ${cells.join(' | ')} | ${list.some(isDoubtful) ? 'does not count' : ''} |`
  })
  const head =
    '| server | q/s | CPU µs/query | p50 µs | p99 µs | memory MiB | whole MiB | load ms | |\n|---|---:|---:|---:|---:|---:|---:|---:|---|'
  process.stdout.write(`${title}\n\n${head}\n${lines.join('\n')}\n\n`)
  const goals = goalsOf(of, changes).filter(({ ours, other }) => Number.isFinite(ours) && Number.isFinite(other))
  process.stdout.write('| figure | goal | ratio | |\n|---|---|---:|---|\n')
  let isMet = ![...trials.values()].flat().some(isDoubtful)
  for (const { what, ours, other, atLeast, atMost } of goals) {
    const ratio = ours / other
    const keeps = (atLeast === undefined || ratio >= atLeast) && (atMost === undefined || ratio <= atMost)
    isMet &&= keeps
    const goal = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
    process.stdout.write(`| ${what} | ${goal} | ${ratio.toFixed(2)} | ${keeps ? '' : 'MISSED'} |\n`)
  }
  return isMet
}

/** Returns true if a trial is invalid and does not count. */
const isDoubtful = ({ blockedShare, failedShare, lost }: Trial): boolean =>
  blockedShare < 0.195 || blockedShare > 0.205 || failedShare > 0 || lost > 0

/** Goals of the benchmark. Absolute limits are ratios to the limit. */
function goalsOf(of: (name: string, key: keyof Trial) => number, changes: Changes | undefined): Goal[] {
  const goals: Goal[] = [
    { what: 'q/s, log off, to unbound', ours: of('hearth', 'qps'), other: of('unbound', 'qps'), atLeast: 1.8 },
    {
      what: 'q/s, every query logged, to unbound without',
      ours: of('hearth-log', 'qps'),
      other: of('unbound', 'qps'),
      atLeast: 1.25,
    },
    {
      what: 'the same to unbound with dnstap',
      ours: of('hearth-log', 'qps'),
      other: of('unbound-log', 'qps'),
      atLeast: 1.8,
    },
    { what: 'q/s to dnsmasq', ours: of('hearth', 'qps'), other: of('dnsmasq', 'qps'), atLeast: 18 },
    { what: 'q/s to dnsdist', ours: of('hearth', 'qps'), other: of('dnsdist', 'qps'), atLeast: 1.4 },
    {
      what: 'q/s with 10,000 peers, a profile each and 10,000 local names, to without',
      ours: of('hearth-home', 'qps'),
      other: of('hearth', 'qps'),
      atLeast: 0.95,
    },
    { what: 'q/s without FFI to unbound', ours: of('hearth-dgram', 'qps'), other: of('unbound', 'qps'), atLeast: 0.8 },
    {
      what: 'p99 at 5,000 q/s, log off, to unbound',
      ours: of('hearth', 'p99'),
      other: of('unbound', 'p99'),
      atMost: 1.25,
    },
    {
      what: 'p99 at 5,000 q/s, logged, two cores, to unbound',
      ours: of('hearth-log-2', 'p99'),
      other: of('unbound', 'p99'),
      atMost: 1.5,
    },
    { what: 'memory to unbound', ours: of('hearth', 'memory'), other: of('unbound', 'memory'), atMost: 0.33 },
    { what: 'memory to 140 MiB', ours: of('hearth', 'memory'), other: 140, atMost: 1 },
    {
      what: 'load from text to unbound',
      ours: of('hearth-text', 'loadMs'),
      other: of('unbound', 'loadMs'),
      atMost: 0.25,
    },
    {
      what: 'load from text to dnsmasq',
      ours: of('hearth-text', 'loadMs'),
      other: of('dnsmasq', 'loadMs'),
      atMost: 0.6,
    },
    { what: 'start from snapshot to 400 ms', ours: of('hearth', 'loadMs'), other: 400, atMost: 1 },
    { what: 'the compiled table read, to 20 ms', ours: of('hearth', 'tableMs'), other: 20, atMost: 1 },
    {
      what: 'three times the names: memory to unbound',
      ours: of('hearth-large', 'memory'),
      other: of('unbound-large', 'memory'),
      atMost: 0.15,
    },
    { what: 'three times the names: memory to 160 MiB', ours: of('hearth-large', 'memory'), other: 160, atMost: 1 },
    { what: 'three times the names: start to 400 ms', ours: of('hearth-large', 'loadMs'), other: 400, atMost: 1 },
  ]
  if (changes === undefined) return goals
  return [
    ...goals,
    { what: 'lost while lists are exchanged at 5,000 q/s', ours: changes.exchangeLost, other: 1, atMost: 0 },
    { what: 'p99 while lists are exchanged to calm', ours: changes.exchangeP99, other: changes.calmP99, atMost: 1.5 },
    { what: 'lists in force, to 1 s', ours: changes.exchangeMs, other: 1000, atMost: 1 },
    { what: 'names answered again after kill -9, to 500 ms', ours: changes.killedMs, other: 500, atMost: 1 },
    { what: 'one rule in force, over HTTP, to 10 ms', ours: changes.ruleMs, other: 10, atMost: 1 },
    { what: 'cached answers kept while 80 rules come and go', ours: changes.cacheKept, other: 1, atLeast: 1 },
    { what: 'log rows lost in 20 s of saturation', ours: changes.rowsLost, other: 1, atMost: 0 },
    { what: 'rows a second then, to 100,000', ours: changes.rowsPerSecond, other: 100_000, atLeast: 1 },
    { what: 'a row of the log, to 40 bytes', ours: changes.bytesPerRow, other: 40, atMost: 1 },
  ]
}
